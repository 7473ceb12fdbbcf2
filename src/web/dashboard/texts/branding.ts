/** How the pages of a merchant's customers look. */
export const BRANDING = {
  title: 'Branding',
  lead: 'Your logo and colour on the payment pages, receipts and the storefront, in test and in live mode.',
  preview: {
    title: 'Preview',
    light: 'The payment page in the light theme',
    dark: 'The payment page in the dark theme',
    pay: 'Pay UGX 25,000',
    to: 'Pay',
    note: 'No fee for you',
    adjusted:
      'Your colour is made darker on light pages and lighter on dark ones, as far as it must be to be read.',
    open: 'Open your public page',
  },
  colour: {
    title: 'Colour',
    label: 'Colour',
    hint: 'Any colour. Where it would be hard to read we use the nearest one that is not.',
    save: 'Save the colour',
    saved: 'The colour was saved.',
    drop: 'Back to the usual colour',
    dropped: 'Your pages have the usual colour again.',
    usual: '#0b6b53',
  },
  logo: {
    title: 'Logo',
    label: 'File',
    hint: 'PNG, JPEG or WebP, up to 2 MB. It is shown 48 pixels high, on white.',
    save: 'Save the logo',
    saved: 'The logo was saved.',
    drop: 'Remove the logo',
    dropped: 'The logo was removed.',
    alt: 'Your logo',
    none: 'No logo yet',
  },
}
