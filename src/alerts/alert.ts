/** A condition found by one check. */
export type Alarm = {
  kind: AlertKind
  /** What it is about; one alert is open for each kind and subject. */
  subject: string
  /** A sentence with what, how much money and where. No phones, no names. */
  says: string
  /** The size in a unit of its kind: when it has doubled, the alert is sent again. */
  size: number
  /** Since when it holds. */
  since: Date
}

/** Every kind with what to do about it (docs/operating.md has a paragraph for each). */
export const ALERT_KINDS = {
  parked_money:
    'An operator does not say what became of money. Look at its status page and at "gateway stuck"; nothing is lost, and nothing is to be repeated.',
  stuck_money:
    'Ask the operator about the movements that "gateway stuck" lists; never pay them again by hand.',
  never_arrived:
    'The operator does not know movements that may have reached it. Ask for its own statement of that day before anything is called failed.',
  sweep_behind:
    'Look whether a worker runs ("gateway serve --role worker") and what its log says; "gateway sweep NAME" runs the task once.',
  verify_failed:
    'Freeze payouts ("gateway payouts freeze --reason R"), keep the database as it is, and find the cause before anything else.',
  audit_broken:
    'Somebody changed the record of who did what, past the service. Keep the database and the logs as they are, freeze payouts, and compare with "gateway audit verify" on a restored backup.',
  critical_break:
    'Look at "gateway exceptions list"; the payouts of an account that it names are paused until it is resolved.',
  reports_held:
    'Customers report more problems of one shop in a day than it is told of. Look whether the shop delivers, and speak with it.',
  rail_silent:
    'An operator does not answer payments. New ones are refused before anything is stored; nothing is lost. Look at its status page; it is tried again by itself.',
  rail_refuses:
    'An operator refuses our account, our settings or our connection. What it says stands above; correct it with the operator or in OP1_INSTALLATIONS and restart.',
  rail_float:
    'Our money at an operator may be used up. Look at the balance there, and put money in or move some over.',
  rail_words:
    'An operator uses words that no table has. They count as refused; look what they mean and enter them under reasonOverrides.',
  mails_unsent:
    'Mails do not go out: links to sign in and to confirm, and notices. Look at MAIL_URL and at the mail server; what waits is sent by itself, what has failed is not.',
  payouts_frozen: 'Somebody froze or released live payouts. Make sure that it was meant.',
} as const
export type AlertKind = keyof typeof ALERT_KINDS
