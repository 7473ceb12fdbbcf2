/** Settings: the business and its audit. */
export const BUSINESS = {
  title: 'Business',
  about: 'What we know of your business',
  facts: {
    name: 'Name',
    handle: 'Handle',
    handleSays: 'in the address of your public page',
    email: 'E-mail',
    id: 'Id',
    verification: 'Verification',
    active: 'Active',
    settlement: 'Settlement',
    instant: 'at once',
    held: 'after 24 hours',
    vending: 'Vending',
    on: 'on',
    off: 'off',
    chargeLimit: 'Largest charge',
    payoutLimit: 'Largest payout',
    created: 'Since',
  },
  change: 'Name, handle and limits are changed by us: write to support with your id.',
}

export const AUDIT = {
  title: 'Audit',
  lead: 'Who did what, from where. Rows cannot be changed, by anybody.',
  columns: { at: 'When', who: 'Who', what: 'What', subject: 'About', mode: 'Mode', origin: 'From' },
  filters: { action: 'What', actor: 'Who' },
  gateway: 'the gateway',
  empty: {
    title: 'Nothing was done yet',
    filtered: 'Nothing fits these filters among the latest 20,000 rows.',
  },
  details: 'Details',
}
