-- What was said when it was found, as digests: once resolved, it opens again only on other evidence (rails.md 5.4).
alter table platform_exceptions add column evidence text[] not null default '{}';
create index platform_exceptions_by_subject on platform_exceptions (kind, subject);
update platform_exceptions set evidence = array[md5((case kind when 'rail_only' then details - 'at' - 'we_say' else details end)::text)];

-- Nothing about the platform waits for money; the statements are those of a cell.
alter table approvals add column waits_for_money boolean not null default false;
