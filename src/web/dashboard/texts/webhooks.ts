/** The pages of webhooks: address, secret, deliveries, events. */
export const WEBHOOKS = {
  title: 'Webhooks',
  address: {
    title: 'Address',
    label: 'Address of your receiver',
    hint: 'https, reachable from the public internet. Test and live events both go there; each says its mode. Empty: events wait here.',
    submit: 'Save the address',
    saved: 'The address is saved. Events that waited are on their way.',
    emptied: 'There is no address now. Events wait until there is one.',
    none: 'No address yet: events wait here until you save one.',
  },
  secret: {
    title: 'Signing secret',
    since: 'In force since',
    both: (until: string) =>
      `Until ${until} webhook-signature carries two signatures: the new secret first, then the old one. X-Service-Signature is made with the new one alone.`,
    reveal: 'Show the secret',
    revealTitle: 'The signing secret',
    revealed: 'Whoever has it can write events that look like ours. It stands in the audit that you have looked at it.',
    rotateTitle: 'Change the secret',
    rotateSays:
      'From the same moment X-Service-Signature is made with the new secret. For 24 hours webhook-signature carries both, so a receiver that checks that header changes over without losing an event.',
    rotate: 'Make a new secret',
    atOnce: 'The old one has leaked: stop signing with it at once',
    madeTitle: 'The new signing secret',
    made: 'Put it into your receiver now.',
    madeUntil: (until: string) => `The old one also signs until ${until}.`,
    madeAtOnce: 'The old one does not sign any more.',
    label: 'Signing secret',
    back: 'Back to webhooks',
  },
  more: {
    title: 'Other addresses',
    says: 'Up to four more receivers get what happens in this mode, each with a secret of its own. Which events one gets, a pause and a new secret are set by API (/v1/webhook-addresses).',
    add: 'Add an address',
    label: 'Address of the other receiver',
    hint: 'https, reachable from the public internet. It gets every event of this mode from now on.',
    submit: 'Add the address',
    madeTitle: 'The signing secret of the address',
    made: 'Put it into the receiver now: it is shown this once. A new one is made by API.',
    events: 'Gets',
    allEvents: 'every event',
    lastSuccess: 'Last answered well',
    failingSince: 'Nothing but errors since',
    states: {
      paused: 'Paused: its events wait here.',
      switched_off: 'Switched off, because it answered nothing but errors for three days. Its events wait here.',
    },
    resume: 'Send what waits now',
    resumed: 'The address is on, and what waited is on its way.',
    removeTitle: 'Remove this address',
    removeSays: 'Nothing is sent there any more. What waits for it is not sent.',
    remove: 'Remove the address',
    removed: 'The address is removed.',
  },
  ping: {
    title: 'Send a test event',
    says: 'A test.ping goes to your address like any other event, and its delivery shows what happened.',
    submit: 'Send a test event',
    done: 'The test event is on its way.',
  },
  grade: {
    title: 'Test your receiver',
    says: 'Some 115 messages about nothing go to your address: correctly signed ones, forged ones, late ones, one twice, a hundred at once. You see what your receiver did right and wrong, and why. Each says mode test and sample true.',
    inTestMode:
      'In test mode this page tries your receiver with forged, late and many messages, and says what it did right and wrong.',
    submit: 'Test my receiver',
    resultTitle: 'What your receiver did',
    summary: (right: number, wrong: number, advice: number) =>
      [
        `${right} right, ${wrong} wrong${advice === 0 ? '' : `, ${advice} could be better`}.`,
        wrong === 0 ? '' : 'Mend what is wrong, and test it again.',
      ]
        .join(' ')
        .trim(),
    groups: { right: 'Right', advice: 'Could be better', wrong: 'Wrong', skipped: 'Not tried' },
    unseen:
      'From here only answers can be seen. Look at your own books too: the payments of this test must have been counted once each, or not at all.',
  },
  deliveries: {
    title: 'Deliveries',
    columns: { event: 'Event', status: 'Status', code: 'Answer', attempts: 'Attempts', created: 'Created' },
    filters: { status: 'Status', event: 'Event' },
    empty: 'No event yet',
    emptySays: 'Every payment, refund and payout that ends makes an event. A test event shows at once how it arrives.',
    filtered: 'No delivery is like that',
    kept: 'Deliveries are kept for 30 days.',
  },
  resendAll: {
    title: 'Send again what failed',
    says: 'Everything since then that failed and has not arrived goes out again at once, to the address of now. What arrived is not sent twice.',
    day: 'Since the day',
    time: 'From',
    timeHint: 'In Kampala. Empty: from midnight.',
    submit: 'Send again',
    wrong: 'Choose a day, and a time such as 14:05',
    done: (count: number, more: boolean) =>
      count === 0
        ? 'Nothing has failed since then.'
        : more
          ? `${count} events are on their way. There are more: send it again.`
          : `${count} ${count === 1 ? 'event is' : 'events are'} on the way.`,
  },
  delivery: {
    title: 'Delivery',
    facts: {
      event: 'Event',
      id: 'Event id',
      subject: 'About',
      status: 'Status',
      url: 'Address',
      attempts: 'Attempts',
      next: 'Next attempt',
      delivered: 'Arrived',
      created: 'Created',
    },
    underWay: 'It is on its way; this page follows it.',
    failing: 'Your server has not taken it. It is tried again by itself, eight times over some two days.',
    waits: 'It waits for an address.',
    resend: { title: 'Send this event again', submit: 'Send again', done: 'The event is on its way again.' },
    attempts: 'Attempts',
    noAttempts: 'No attempt yet.',
    answered: (code: number) => `Answered ${code}`,
    failed: (error: string) => DELIVERY_FAILURES[error] ?? error,
    took: (ms: number, url: string) => `${ms} ms, ${url}`,
    answer: 'How the answer began',
    request: 'What is sent',
    requestSays:
      'The same bytes with every attempt. The signatures are made anew over them: X-Service-Signature, and webhook-signature with the time of the attempt.',
    body: 'Body',
    headers: 'Headers',
  },
  failing: {
    word: 'failing',
    attempts: (count: number, next: string) => `${count} ${count === 1 ? 'attempt' : 'attempts'}, next ${next}`,
    says: (count: number, isAll: boolean, heard: string, since: string) =>
      `Your address has not taken ${isAll ? count : `at least ${count}`} ${count === 1 && isAll ? 'event' : 'events'} since ${since}. The last attempt: ${heard}`,
    answered: (code: number) => `answered ${code}`,
    next: (time: string) =>
      `The next attempt is at ${time}. What is given up can be sent again below, once your server works.`,
    answer: 'How the last answer began',
  },
  events: {
    title: 'Events',
    lead: 'Every event that your receiver may get. Dedupe on id, answer any 2xx within 5 seconds, and expect events late or in another order.',
    sample: 'A body',
  },
}

export const DELIVERY_FAILURES: Readonly<Record<string, string>> = {
  dns: 'The name of the address was not found',
  connect: 'No connection',
  tls: 'The certificate was not accepted',
  timeout: 'No answer within 5 seconds',
  reset: 'The connection was cut',
  protocol: 'The answer was not HTTP',
  aborted: 'Given up',
  'redirect refused': 'Answered with a redirect, which is not followed',
  'refused target': 'The address leads to a private network',
}
