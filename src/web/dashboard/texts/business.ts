/** Settings: the business and its audit. */
export const BUSINESS = {
  title: 'Business',
  about: 'What we know of your business',
  handle: {
    label: 'Another short name for addresses',
    hint: 'Small letters, digits and dashes. Addresses and codes with the old one lead to the new one, and nobody else gets it.',
    submit: 'Change the short name',
    done: (handle: string) => `Your public page is at /pay/@${handle} now.`,
  },
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
  change: 'Name and limits are changed by us: write to support with your id.',
}

export const AUDIT = {
  title: 'Audit',
  lead: 'Who did what, from where. Rows cannot be changed, by anybody.',
  columns: { at: 'When', who: 'Who', what: 'What', subject: 'About', mode: 'Mode', origin: 'From' },
  filters: { of: 'Rows', acts: 'acts', looks: 'who looked', action: 'What', actor: 'Who' },
  gateway: 'the gateway',
  empty: {
    title: 'Nothing was done yet',
    filtered: 'Nothing fits these filters among the latest 20,000 rows.',
  },
  details: 'Details',
}
