-- By whom and with which words a dispense ended, so that the story of an order still tells of a jam after the next try has cleared its error.
-- Claims that ended before have neither.
alter table dispense_claims
  add column outcome_source text check (outcome_source in ('callback', 'command', 'manual')),
  add column outcome_note text check (length(outcome_note) between 1 and 1000);
