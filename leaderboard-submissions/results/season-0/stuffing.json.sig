ð¸Z¬e;]'Ž
IÔÐÄZ¾ˆrLIF) µ`vóRŽ-âVmç&(¦dÄÆªŸ…g­XŒh¢váX‘:Tù