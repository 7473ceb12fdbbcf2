-- Alerts that a person has closed say why, and the page of alerts reads those that are open and those that ended last.
alter table alerts
  add column closed_by text,
  add column note      text check (length(note) <= 500),
  add constraint alerts_closed_with_a_sentence check ((closed_by is null) = (note is null) and (closed_by is null or closed_at is not null));
create index alerts_ended on alerts (closed_at, id) where closed_at is not null;
