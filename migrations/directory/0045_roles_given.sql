-- When somebody got the present role, and from whom: null where nobody of the business gave it, or before this release. Whoever has a role for
-- less than a day is no second person for what takes two.
alter table memberships
  add column role_since timestamptz,
  add column role_by bigint references people,
  add constraint memberships_roles_are_given_at_a_time check (role_by is null or role_since is not null);
