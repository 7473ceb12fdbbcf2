-- What the last check of each credential at an operator found; no secret is in it.
create table rail_checks (
  installation text not null,
  product      text not null,
  checked      text not null,
  ok           boolean not null,
  says         text not null check (length(says) <= 1000),
  checked_by   text not null,
  checked_at   timestamptz not null,
  primary key (installation, product, checked)
);
