import type { Invariant } from '../invariant.ts'

/** Invoices. Whether one is paid is read from its link and charge, so nothing about that can disagree. */
export const INVOICE_INVARIANTS: readonly Invariant[] = [
  {
    id: 'IN1',
    says: 'an invoice is a link of its merchant and mode that is paid once, for the sum of its lines, with its number as the reference',
    counted: 'select count(*) from invoices',
    offenders: `select i.merchant_id, i.mode, i.id as offender
      from invoices i left join payment_links l on (l.merchant_id, l.id) = (i.merchant_id, i.id)
      where (l.mode = i.mode and l.kind = 'link' and not l.allow_multiple_uses and l.reference = 'INV-' || lpad(i.number::text, greatest(4, length(i.number::text)), '0')
        and l.amount = (select sum((line ->> 'quantity')::bigint * (line ->> 'price')::bigint) from jsonb_array_elements(i.lines) as line)) is not true`,
  },
  {
    id: 'IN2',
    says: 'the invoices of a merchant and mode are numbered from 1 without gaps, up to the number that was given last',
    counted: 'select count(*) from invoice_numbers',
    offenders: `select coalesce(n.merchant_id, i.merchant_id) as merchant_id, coalesce(n.mode, i.mode) as mode, format('invoices of merchant %s %s', coalesce(n.merchant_id, i.merchant_id), coalesce(n.mode, i.mode)) as offender
      from invoice_numbers n full join (select merchant_id, mode, count(*) as made, max(number) as newest from invoices group by merchant_id, mode) i
        on (i.merchant_id, i.mode) = (n.merchant_id, n.mode)
      where (n.last = i.made and n.last = i.newest) is not true`,
  },
  {
    id: 'IN3',
    says: 'a mail about an invoice belongs to a live invoice, and one that was written to an invoice that was sent',
    counted: 'select count(*) from invoice_mails',
    offenders: `select m.merchant_id, 'live' as mode, format('%s %s', m.invoice_id, m.kind) as offender
      from invoice_mails m left join invoices i on (i.merchant_id, i.id) = (m.merchant_id, m.invoice_id)
      where (i.mode = 'live' and (m.outcome is distinct from 'written' or i.sent_at is not null)) is not true`,
  },
]
