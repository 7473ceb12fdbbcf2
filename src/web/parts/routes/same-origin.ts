/**
 * Whether a form was sent by a page of ours: the browser says that it comes from the same origin, or names our address. A form without an
 * origin does not count as ours, because a session is behind it (reliability.md A64).
 */
export function isSentFromOwnPage(
  headers: { 'sec-fetch-site'?: string | string[] | undefined; origin?: string | undefined },
  baseUrl: string,
): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin !== undefined && headers.origin === new URL(baseUrl).origin
}
