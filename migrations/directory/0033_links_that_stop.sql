-- A link that stops the change of an e-mail address: it goes to the old address, and names the one that was asked for.
alter table one_time_links drop constraint one_time_links_purpose_check;
alter table one_time_links add constraint one_time_links_purpose_check
  check (purpose in ('confirm', 'reset', 'join', 'email', 'email-stop', 'till', 'operator', 'operator-reset'));
