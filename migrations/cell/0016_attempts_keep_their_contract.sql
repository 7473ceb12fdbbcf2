-- Since when the operator may have an attempt: from then on it keeps its contract with the operator, and the time in which it
-- may be posted again is counted from here. Null while nothing has left, or while the operator has proved that it took nothing.
alter table rail_attempts add column first_sent_at timestamptz;
-- How often it has been posted: whoever records an answer names the post that it belongs to.
alter table rail_attempts add column sends integer not null default 0;
-- At which contract this was heard.
alter table rail_evidence add column installation text;

update rail_attempts set sends = reposts + 1,
  first_sent_at = case when reposts > 0 or not_found_count > 0 then created_at else sending_since end
where state in ('sending', 'accepted', 'in_doubt') or state = 'not_sent' and not_found_count > 0;

create function keep_installation() returns trigger language plpgsql as $$
begin
  -- Only the proof that the one post so far was not taken undoes that it was sent.
  if tg_op = 'UPDATE' and old.first_sent_at is not null
    and (new.first_sent_at is distinct from old.first_sent_at or new.installation <> old.installation)
    and not (new.first_sent_at is null and new.installation = old.installation and old.reposts = 0
      and old.state in ('sending', 'in_doubt') and new.state = 'not_sent') then
    raise exception 'attempt % keeps the installation to which it was sent', old.id
      using errcode = 'check_violation', constraint = 'attempt_keeps_its_installation';
  end if;
  if new.state = 'sending' and new.first_sent_at is null then
    new.first_sent_at := new.sending_since;
  end if;
  return new;
end $$;
create trigger attempts_born_sending before insert on rail_attempts for each row
  when (new.state = 'sending') execute function keep_installation();
create trigger attempts_keep_installation before update on rail_attempts for each row
  when (new.state = 'sending' or old.installation <> new.installation or old.first_sent_at is distinct from new.first_sent_at)
  execute function keep_installation();
