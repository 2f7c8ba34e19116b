-- The preset for the conversations of a memory; the vault's rules where there is none.

ALTER TABLE memory ADD COLUMN lifecycle text;
