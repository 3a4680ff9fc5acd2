"""Published measures of reports that cite the web, frozen: FACT, ScholarQA-CS2, DeepScholar-Bench."""
