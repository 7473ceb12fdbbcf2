-- Live charges that are due are claimed in the order of their due time, but the server read all that are open and sorted them: it took the
-- index of 0059, which has only live ones, for cheaper than one that has those of both modes. Each has a part of one index now.
drop index charges_followed;
create index charges_followed on charges (mode, follow_at) where follow_at is not null;
