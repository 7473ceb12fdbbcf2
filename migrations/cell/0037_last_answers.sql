-- The last final answers of a contract, to see how many came after their callback (rails.md 4.1). One entry a movement.
create index rail_evidence_finals on rail_evidence (installation, seq)
  where operation = 'status' and answer in ('succeeded', 'failed');
