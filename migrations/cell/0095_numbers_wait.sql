-- Another number to withdraw to waits for a day before money goes there, whoever changed it and however. What changes it past the service names
-- no time, or a false one: so it is the later one of the time that was given and of the server's own.
alter table withdrawal_numbers add column waits_until timestamptz;
create function number_waits() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or (tg_op = 'UPDATE' and new.merchant_id <> old.merchant_id) then
    raise exception 'a number to withdraw to is changed, never removed or moved'
      using errcode = 'check_violation', constraint = 'withdrawal_number_stays';
  end if;
  if tg_op = 'INSERT' then
    new.waits_until := null;
  elsif new.phone <> old.phone then
    new.verified_at := null;
    new.waits_until := greatest(new.set_at, clock_timestamp()) + interval '24 hours';
  else
    new.waits_until := old.waits_until;
  end if;
  return new;
end $$;
create trigger numbers_wait before insert or update or delete on withdrawal_numbers for each row execute function number_waits();
