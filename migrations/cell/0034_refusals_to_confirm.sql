-- A refusal that the operator wrote as an error of its server holds only once questions have confirmed it (rails.md 3.6).
alter table rail_attempts
  add column refusal_to_confirm boolean not null default false check (not refusal_to_confirm or refused_as is not null);
