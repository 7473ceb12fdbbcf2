/** The path of the page of a payment link. */
export const linkPath = (linkId: string): string => `/pay/${linkId}`

/** Makes the path of a page or form below it. A reusable link has many charges, so its `charge` is in the query; null for others. */
export const paymentPath = (linkId: string, action: string, charge: string | null = null): string =>
  `${linkPath(linkId)}/${action}${charge === null ? '' : `?charge=${encodeURIComponent(charge)}`}`
