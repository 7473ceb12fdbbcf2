/** Words of the parts that all surfaces share. */
export const PARTS = {
  skip: 'Skip to the page',
  nothingDone: 'Nothing was done',
  mend: 'Mend what is marked and send it again.',
  optional: 'optional',
  confirmPassword: 'Your password, to confirm',
  confirmCode: 'Code of your authenticator app, to confirm',
  passkey: 'Confirm with a passkey',
  passkeyFailed: 'The passkey was not given. Use a code, or try again.',
  confirmHint: 'Asked for again five minutes after the last time.',
  confirmMissing: 'Confirm with this before anything is done.',
  chooseFile: 'Choose a file',
  fileTooLong: (megabytes: number) => `The file is longer than ${megabytes} MB`,
  newer: 'Newer',
  older: 'Older',
  first: 'Newest',
  pages: 'Pages of the list',
  filter: 'Filter',
  filters: 'Filters',
  clear: 'Clear',
  all: 'All',
  export: 'Download as CSV',
  copy: 'Copy',
  copied: 'Copied',
  raw: 'Raw JSON, as the API gives it',
  none: '–',
  yes: 'yes',
  no: 'no',
  request: (id: string) => `Reference of this page: ${id}`,
  errors: {
    title: (status: number) =>
      status === 404 ? 'There is nothing here' : status === 403 ? 'Not allowed' : 'That did not work',
    notFound: 'This address leads nowhere, or to something that is not yours.',
    unavailable:
      'The service has too much to do, or its database is away. Wait a moment and load the page again.',
    unknownEnd:
      'It is not known whether this took effect. Send the same form again: it cannot take effect twice.',
    internal: 'Something went wrong on our side, and it has been noted. Try again.',
    elsewhere:
      'This form was not sent from a page of ours, so nothing was done. Open the page and send it from there.',
    session:
      'This form belongs to another sign-in, so nothing was done. Open the page again and fill in the form anew.',
    expired: 'This form is too old, so nothing was done. Look at the page again and send it anew.',
    busy: 'This form is being worked on. It is done once, however often it is sent. Load the page again in a moment.',
    changed:
      'This form was sent before with other values, and it is not known whether that took effect. Look at the list first, then fill in a new form.',
    tooLarge: 'This form carries too much, so nothing was done.',
    uploads: 'Other files are being received, so nothing was done. Wait a moment and send the form again.',
    unread: 'This form could not be read, so nothing was done.',
    tooMany: 'You have sent too many requests. Wait a minute.',
    back: 'Back to the start',
  },
}
