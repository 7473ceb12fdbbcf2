/** An answer to a browser: where `location` redirects to and the `cookie` to keep, each empty if there is none. */
export type FormAnswer = {
  status: number
  location: string
  cookie: string
  text: string
  retryAfter: string | null
}
export type Form = { path: string; fields: Record<string, string>; cookie?: string }

/** Sends one form to one web process as a browser does, and follows no redirect. */
export async function sendForm(
  url: string,
  { path, fields, cookie = '' }: Form,
  signal: AbortSignal | null = null,
): Promise<FormAnswer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    signal,
    headers: { 'sec-fetch-site': 'same-origin', ...(cookie === '' ? {} : { cookie }) },
    body: new URLSearchParams(fields),
  })
  const [set = ''] = response.headers.getSetCookie().filter((one) => one.startsWith('checkout='))
  return {
    status: response.status,
    location: response.headers.get('location') ?? '',
    cookie: set.split(';')[0] ?? '',
    text: await response.text(),
    retryAfter: response.headers.get('retry-after'),
  }
}

/** A pay form as a page shows it: its token identifies the form when it is sent twice. */
export type Shown = { token: string; cookie: string }

/** Opens the page of a link; null where it shows no form: it is paid, being paid or closed, or nothing serves it. */
export async function openForm(
  url: string,
  link: string,
  { cookie = '', signal = null }: { cookie?: string; signal?: AbortSignal | null } = {},
): Promise<Shown | null> {
  const headers: Record<string, string> = cookie === '' ? {} : { cookie }
  const response = await fetch(`${url}/pay/${link}`, { redirect: 'manual', headers, signal })
  const text = await response.text()
  const token = response.status === 200 ? /name="token" value="([^"]+)"/.exec(text)?.[1] : undefined
  return token === undefined ? null : { token, cookie }
}

/** The form by which a customer pays a link. */
export const payment = (
  link: string,
  { token, cookie }: Shown,
  typed: { phone?: string; email?: string } = {},
): Form => ({ path: `/pay/${link}/submit`, fields: { channel: 'op1_momo', token, ...typed }, cookie })

/** The form with which a customer applies a gift card; the cookie of its answer goes with the payment. */
export const voucher = (link: string, code: string): Form => ({
  path: `/pay/${link}/apply-voucher`,
  fields: { code },
})

/** The charge named in a redirect of a reusable link. */
export const chargeIn = (location: string): string | null => /[?&]charge=(txn_[a-z0-9]+)$/.exec(location)?.[1] ?? null
