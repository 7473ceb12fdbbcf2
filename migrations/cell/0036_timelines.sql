-- What is needed to tell the story of a movement (rails.md 4.8). Equal answers in a row are kept once: the number of the question
-- says how often it was asked.
alter table rail_attempts add column last_answer text;
alter table rail_evidence add column question integer check (question > 0);
