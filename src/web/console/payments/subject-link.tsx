import { oneLine } from '../../../platform/text/text.ts'
import type { ConsoleVisit } from '../visit.ts'

const PAYMENT_ID = /^(?:txn|pout|top)_[a-z0-9]+$/

/** The subject of a transfer or an exception: a link if it is a payment, its text if it is anything else, which has no page. */
export const SubjectLink = ({ visit, subject }: { visit: ConsoleVisit; subject: string }) =>
  PAYMENT_ID.test(subject) ? <a href={visit.to(`/payments/${subject}`)}>{subject}</a> : <code>{oneLine(subject)}</code>
