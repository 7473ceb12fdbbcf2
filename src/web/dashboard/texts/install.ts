/** The dashboard as an app of a phone, and what it shows where there is no connection. */
export const INSTALL = {
  name: 'Gateway',
  description: 'Payments of your business: what came in, what is on its way, and what needs you.',
  offline: {
    title: 'No connection',
    says: 'This page could not be loaded, and nothing was changed. It comes by itself as soon as there is a connection.',
    again: 'Try again',
  },
}
