-- Links that make an operator, or let one choose a new password and a new authenticator. The secret of the authenticator belongs to the
-- link: its page shows the same one however often it is loaded, until the link is used.
alter table one_time_links add column operator_role text check (operator_role in ('support', 'risk', 'finance', 'admin'));
alter table one_time_links add column sealed bytea;
alter table one_time_links drop constraint one_time_links_purpose_check;
alter table one_time_links add constraint one_time_links_purpose_check
  check (purpose in ('confirm', 'reset', 'join', 'email', 'till', 'operator', 'operator-reset'));
alter table one_time_links drop constraint one_time_links_parts;
alter table one_time_links add constraint one_time_links_parts check (case purpose
  when 'join' then merchant_id is not null and role is not null and email is not null
  when 'till' then merchant_id is not null and role = 'cashier' and name is not null and shift_ends is not null
  when 'email' then person_id is not null and email is not null
  when 'operator' then merchant_id is null and operator_role is not null and email is not null
  else person_id is not null end);
alter table one_time_links add constraint one_time_links_sealed
  check ((sealed is not null) = (purpose in ('operator', 'operator-reset') and used_at is null));
-- Invitations of operators that wait, newest first.
create index one_time_links_of_operators on one_time_links (created_at) where purpose = 'operator' and used_at is null;

-- Operators are few: their list, and the admins that are locked before one of them goes.
create index people_operators on people (id) where realm = 'operator' and closed_at is null;

-- Whoever changes operators has locked the rows of all admins: two of them cannot remove each other at once.
create function keep_an_admin() returns trigger language plpgsql set search_path from current as $$
begin
  if not exists (
    select 1 from people where realm = 'operator' and operator_role = 'admin' and closed_at is null
  ) then
    raise exception 'the console would have no admin' using errcode = 'check_violation', constraint = 'people_keep_an_admin';
  end if;
  return null;
end $$;
create trigger people_keep_an_admin after update of operator_role, closed_at on people for each row
  when (old.operator_role = 'admin' and old.closed_at is null and (new.operator_role is distinct from 'admin' or new.closed_at is not null))
  execute function keep_an_admin();
