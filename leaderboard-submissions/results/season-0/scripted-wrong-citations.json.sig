›Jשףu¿¶L¨(k’` M[ûצ;ֿ`vHE‚xUj{yחצ$₪בגH\נ־!sגxu°%dDח¢Q{Üָ
