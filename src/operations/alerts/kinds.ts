/**
 * `urgency`: whether it wakes a person, or is for the working hours of the day (reliability.md 11.3). `page`: where on the console it is
 * dealt with.
 */
type KindFacts = { urgency: 'page' | 'today'; toDo: string; page: string }

/** Every kind. docs/operating.md has a paragraph for each. */
const KIND_FACTS = {
  parked_money: {
    urgency: 'page',
    toDo: 'An operator does not say what became of money. Look at its status page and at "gateway stuck"; nothing is lost, and nothing is to be repeated.',
    page: '/parked',
  },
  stuck_money: {
    urgency: 'page',
    toDo: 'Ask the operator about the movements that "gateway stuck" lists; never pay them again by hand.',
    page: '/parked',
  },
  never_arrived: {
    urgency: 'page',
    toDo: 'The operator does not know movements that may have reached it. Ask for its own statement of that day before anything is called failed.',
    page: '/parked',
  },
  release_stopped: {
    urgency: 'page',
    toDo: 'Held money of an account is due and was not released, though others were. The log of the worker says why; look at its balance beside its transfers before anything else.',
    page: '/ledger',
  },
  sweep_behind: {
    urgency: 'page',
    toDo: 'Look whether a worker runs ("gateway serve --role worker") and what its log says; "gateway sweep NAME" runs the task once.',
    page: '/jobs',
  },
  worker_silent: {
    urgency: 'page',
    toDo: 'No worker is heard: nothing is followed, settled or sent. Start one ("gateway serve --role worker") and look why the last one ended.',
    page: '/jobs',
  },
  database_down: {
    urgency: 'page',
    toDo: 'The database does not answer or takes no writes. Look at its server, its disk and the network between; payments are refused with 503 until then, and nothing is lost.',
    page: '/jobs',
  },
  cell_away: {
    urgency: 'page',
    toDo: 'The node of a cell does not answer: its merchants are refused with 503, all others are served, and nothing is lost. Look at that node, its disk and the network to it, or let its standby take over.',
    page: '/jobs',
  },
  cells_full: {
    urgency: 'today',
    toDo: 'Make a cell ("gateway cells create"), on a node of its own where one is wanted. Until then new merchants go to the cell that was added last; nobody is refused.',
    page: '/merchants',
  },
  disk_filling: {
    urgency: 'page',
    toDo: 'Make room on the disk of DATA_DIR, or move it to a larger one. A full disk stops every payment.',
    page: '/jobs',
  },
  clock_skew: {
    urgency: 'page',
    toDo: 'The clocks of a process and of the database differ. Look whether both machines follow a time server.',
    page: '/jobs',
  },
  verify_failed: {
    urgency: 'page',
    toDo: 'Freeze payouts ("gateway payouts freeze --reason R"), keep the database as it is, and find the cause before anything else.',
    page: '/jobs',
  },
  verify_late: {
    urgency: 'page',
    toDo: 'The nightly verify has not come to its end. Look at the page of jobs for why, and run "gateway verify" by hand.',
    page: '/jobs',
  },
  audit_broken: {
    urgency: 'page',
    toDo: 'Somebody changed the record of who did what, past the service. Keep the database and the logs as they are, freeze payouts, and compare with "gateway audit verify" on a restored backup.',
    page: '/audit',
  },
  backup_late: {
    urgency: 'today',
    toDo: 'Take a backup ("gateway backup") and look why the one that is planned did not run; for a drill restore one ("Backup and restore" in docs/operating.md).',
    page: '/jobs',
  },
  wal_stream_silent: {
    urgency: 'page',
    toDo: 'Start "gateway backup stream", or the worker of the embedded database, and look what it says: until it runs, each payment that is acknowledged lies on one disk alone.',
    page: '/jobs',
  },
  critical_break: {
    urgency: 'page',
    toDo: 'Look at "gateway exceptions list"; the payouts of an account that it names are paused until it is resolved.',
    page: '/reconciliation/exceptions',
  },
  reports_held: {
    urgency: 'today',
    toDo: 'Customers report more problems of one shop in a day than it is told of. Look whether the shop delivers, and speak with it.',
    page: '/merchants',
  },
  rail_silent: {
    urgency: 'page',
    toDo: 'An operator does not answer payments. New ones are refused before anything is stored; nothing is lost. Look at its status page; it is tried again by itself.',
    page: '/rails',
  },
  rail_refuses: {
    urgency: 'page',
    toDo: 'An operator refuses our account, our settings or our connection. What it says stands above; correct it with the operator or in OP1_INSTALLATIONS and restart.',
    page: '/rails',
  },
  rail_float: {
    urgency: 'page',
    toDo: 'Our money at an operator may be used up. Look at the balance there, and put money in or move some over.',
    page: '/rails',
  },
  rail_words: {
    urgency: 'today',
    toDo: 'An operator uses words that no table has. They count as refused; look what they mean and enter them under reasonOverrides.',
    page: '/rails',
  },
  webhooks_late: {
    urgency: 'today',
    toDo: 'Webhooks wait for over an hour though their receivers answer. Look whether a worker runs and what its log says.',
    page: '/jobs',
  },
  receiver_failing: {
    urgency: 'today',
    toDo: 'A receiver has taken no webhook for a day. Its owners were told by mail; call them if payments of theirs are waiting for it.',
    page: '/merchants',
  },
  address_failing: {
    urgency: 'today',
    toDo: 'A webhook address beside the first one of a merchant takes nothing, or was switched off for that. Its owners were told by mail and on their Home; call them if payments of theirs are waiting for it.',
    page: '/merchants',
  },
  dispensing_late: {
    urgency: 'today',
    toDo: 'Machines have not reported for over ten minutes what they gave out. Look at the supplier; "gateway vending decide" records what a person saw.',
    page: '/payments',
  },
  jam_refunds_open: {
    urgency: 'today',
    toDo: 'Customers wait for the refund of a jam. Look at the account of the shop: its balance may not cover it, or its payouts are stopped.',
    page: '/payments',
  },
  limiter_down: {
    urgency: 'today',
    toDo: 'Requests pass without being counted against their limits. Look at the database and the log of that process.',
    page: '/jobs',
  },
  log_dropped: {
    urgency: 'today',
    toDo: 'Lines of the log found no room and are lost. Look what reads the output of the service, and whether it keeps up.',
    page: '/jobs',
  },
  mails_unsent: {
    urgency: 'today',
    toDo: 'Mails do not go out: links to sign in and to confirm, and notices. Look at MAIL_URL and at the mail server; what waits is sent by itself, what has failed is not.',
    page: '/jobs',
  },
  alert_way: {
    urgency: 'today',
    toDo: 'Alerts reach people by one way only. Mend the other: ALERT_WEBHOOK and its receiver, or ALERT_MAIL and the mail server.',
    page: '/alerts',
  },
  merchant_terms: {
    urgency: 'today',
    toDo: 'An operator changed limits, the settlement or a settlement number of a merchant on the console. Make sure that it was meant: the page of the merchant shows who and when.',
    page: '/merchants',
  },
  long_look_ups: {
    urgency: 'today',
    toDo: 'Somebody asks for the holders of hundreds of wallets in an hour. Speak with the merchant; it may be reading names of strangers out of the operator.',
    page: '/merchants',
  },
  work_waiting: {
    urgency: 'today',
    toDo: 'Something waits for one of you for longer than WORK_WAITS_HOURS. The console shows beside each entry how much waits there; take it, or decide on it.',
    page: '/',
  },
  payouts_frozen: {
    urgency: 'page',
    toDo: 'Somebody froze or released live payouts. Make sure that it was meant.',
    page: '/freeze',
  },
  operators_changed: {
    urgency: 'page',
    toDo: 'Somebody made, changed or let in an operator, past another operator or as the first one. Make sure that it was meant; end sessions that were not.',
    page: '/operators',
  },
  master_key: {
    urgency: 'page',
    toDo: 'Somebody sealed every secret under another master key. Make sure that it was meant, and that the new key is kept elsewhere than the data.',
    page: '/audit',
  },
} as const satisfies Record<string, KindFacts>

export type AlertKind = keyof typeof KIND_FACTS
/** Every kind of alert. */
export const ALERT_KINDS = Object.keys(KIND_FACTS) as AlertKind[] // Exactly the keys of the table.

/** Whether an alert wakes a person, or is for today. */
export const urgencyOf = (kind: AlertKind): 'page' | 'today' => KIND_FACTS[kind].urgency

/** What to do about an alert, in a sentence. */
export const toDoOf = (kind: AlertKind): string => KIND_FACTS[kind].toDo

/** The page of the console on which it is dealt with. */
export const consolePageOf = (kind: AlertKind): string => `/console${KIND_FACTS[kind].page}`

/** Where its paragraph of docs/operating.md is shown. */
export const paragraphOf = (kind: AlertKind): string => `/console/alerts/kinds/${kind}`

/** The kind that a text names, or null. */
export const parseAlertKind = (text: string): AlertKind | null => ALERT_KINDS.find((kind) => kind === text) ?? null
