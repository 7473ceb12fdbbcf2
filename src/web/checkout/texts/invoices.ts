import type { Language } from '../view.ts'

/** What the hosted pages say about an invoice. */
type InvoiceTexts = {
  number: string
  to: string
  due: string
  wasDue: string
  total: string
  mails: {
    title: string
    asks: (shop: string) => string
    stopped: (shop: string) => string
    stop: string
    open: string
  }
}

/** By language, like `TEXTS`. */
export const INVOICE_TEXTS: Readonly<Record<Language, InvoiceTexts>> = {
  en: {
    number: 'Invoice',
    to: 'For',
    due: 'Pay by',
    wasDue: 'Was due on',
    total: 'Total',
    mails: {
      title: 'Mails about invoices',
      asks: (shop) => `${shop} sends you mails about its invoices. Do you want no more of them?`,
      stopped: (shop) => `You get no more mails about invoices of ${shop}.`,
      stop: 'No more mails',
      open: 'See the invoice',
    },
  },
  lg: {
    number: 'Invoyisi',
    to: 'Ya',
    due: 'Sasula nga tekunnayita',
    wasDue: 'Yali ya kusasulwa',
    total: 'Omugatte',
    mails: {
      title: 'Amabaluwa aga invoyisi',
      asks: (shop) => `${shop} akuweereza amabaluwa aga invoyisi ze. Oyagala agakomya?`,
      stopped: (shop) => `Tojja kufuna mabaluwa malala aga invoyisi za ${shop}.`,
      stop: 'Komya amabaluwa',
      open: 'Laba invoyisi',
    },
  },
  sw: {
    number: 'Ankara',
    to: 'Kwa',
    due: 'Lipa kabla ya',
    wasDue: 'Ilipaswa kulipwa',
    total: 'Jumla',
    mails: {
      title: 'Barua pepe za ankara',
      asks: (shop) => `${shop} hukutumia barua pepe za ankara zake. Hutaki tena?`,
      stopped: (shop) => `Hutapata tena barua pepe za ankara za ${shop}.`,
      stop: 'Acha barua pepe',
      open: 'Tazama ankara',
    },
  },
}
