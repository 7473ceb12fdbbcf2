-- Who approves an application may say why, and must where a name that was given and the name of the wallet's holder differ. For us alone.
alter table verifications add column approval_note text
  constraint approval_note_length check (length(approval_note) between 1 and 2000);
alter table verifications add constraint note_of_approvals check (approval_note is null or state = 'approved') not valid;
