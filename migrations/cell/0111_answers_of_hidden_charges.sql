-- The answer of a live charge is stored with its key when the charge is stored, and counts once the charge is shown. Charges that are
-- hidden are those under way, or left by a process that died: this index finds them, as that of running keys did.
create index charges_hidden on charges (created_at) where mode = 'live' and not published and follow_at is not null;
