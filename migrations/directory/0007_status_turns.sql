-- Shares of the questions (rails.md 4.2). Each question adds to the credit of old movements and of reconciliation; with a credit of one
-- they no longer leave the questions to others.
alter table status_budgets
  add column old_credit   double precision not null default 0,
  add column spare_credit double precision not null default 0;
