-- A direct dispense whose supplier never reports: accepted counted as dispensed, until a machine has said otherwise.
alter table dispense_claims add column optimistic boolean not null default false;
alter table dispense_claims add constraint optimistic_is_direct check (not optimistic or kind = 'direct');
