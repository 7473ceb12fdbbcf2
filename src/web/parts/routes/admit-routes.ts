import type { FastifyReply, FastifyRequest } from 'fastify'
import { closeAfterReply } from '../../../api/http/admission/close-gently.ts'
import { encodeLocation } from '../../../api/http/location.ts'
import type { SignedInSession } from '../../../merchants/people/session.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { flashCookie } from '../forms/flash.ts'
import { PARTS } from '../texts.ts'
import { parseCookies } from './cookies.ts'
import type { Visit } from './route.ts'
import type { Surface, SurfaceOptions } from './surface.ts'

/** The sender of a form, found from its headers before the body is read and kept for when it has been. */
const senders = new WeakMap<FastifyRequest, SignedInSession>()

export const senderOf = (request: FastifyRequest): SignedInSession | null => senders.get(request) ?? null

type AdmitOptions<V extends Visit> = {
  surface: Surface<V>
  options: SurfaceOptions
  /** Whether this path is a page of the surface. */
  isPage(path: string): boolean
}

/**
 * Checks a form by its headers before its body is read. Refuses one from another site (throws 403). If a sign-in is needed and the sender
 * has none, replies with a redirect to it and returns null. Returns the sender; null too if the form is for guests.
 */
export async function admitForm<V extends Visit>(
  { surface, options, isPage }: AdmitOptions<V>,
  request: FastifyRequest,
  { reply, forGuests }: { reply: FastifyReply; forGuests: boolean },
): Promise<SignedInSession | null> {
  const { headers } = request.raw
  if (!isSentFromOwnPage(headers, options.baseUrl())) throw new Refusal(403, 'forbidden', PARTS.errors.elsewhere)
  if (forGuests) return null
  const cookie = parseCookies(headers.cookie).get(surface.sessionCookie(options.https)) ?? null
  const signedIn = await surface.findSession(options.gateway(), cookie)
  if (signedIn !== null) {
    senders.set(request, signedIn)
    return signedIn
  }
  closeAfterReply(request, reply)
  const page = findReferringPage(headers.referer, { options, isPage })
  const then = page === null ? '' : `?then=${encodeURIComponent(page)}`
  await reply
    .code(303)
    .headers({
      'Cache-Control': 'no-store',
      'Set-Cookie': flashCookie({ kind: 'note', says: PARTS.errors.signedOut }, options.https),
      Location: encodeLocation(`${surface.signIn}${then}`),
    })
    .send()
  return null
}

// The address of every page with its filters is shorter.
const MAX_PAGE_CHARACTERS = 2000

/** Finds the page of ours that a form was sent from; null if the browser does not say, or if it was the reply to another form. */
function findReferringPage(
  referer: string | undefined,
  { options, isPage }: Pick<AdmitOptions<Visit>, 'options' | 'isPage'>,
): string | null {
  if (referer === undefined || referer.length > MAX_PAGE_CHARACTERS || !URL.canParse(referer)) return null
  const { origin, pathname, search } = new URL(referer)
  return origin === new URL(options.baseUrl()).origin && isPage(pathname) ? `${pathname}${search}` : null
}

/**
 * Whether a form was sent by a page of ours: the browser says that it comes from the same origin, or names our address. A form without an
 * origin does not count as ours, because a session is behind it (reliability.md A64).
 */
function isSentFromOwnPage(
  headers: { 'sec-fetch-site'?: string | string[] | undefined; origin?: string | undefined },
  baseUrl: string,
): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin !== undefined && headers.origin === new URL(baseUrl).origin
}
