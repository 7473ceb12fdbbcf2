import type { Vault } from '../../platform/secrets.ts'
import { formatCookie } from '../parts/routes/cookies.ts'
import { linkPath } from './payment-path.ts'
import type { Method } from './view.ts'

/** The input that this browser has entered on the page of one link and may use again (contract.md G50a). */
export type RememberedInput = {
  /** The applied gift card and the amount that the page showed for it (whole UGX). Never its code. */
  voucher: { cardId: string; applied: number } | null
  /** The phone as typed, for a retry. */
  phone: string
  email: string
  method: Method | null
}

export const NOTHING_REMEMBERED: RememberedInput = { voucher: null, phone: '', email: '', method: null }

type CookieLink = { merchantId: number; id: string }

const INPUT_COOKIE = 'checkout'
export const LANGUAGE_COOKIE = 'lang'
const INPUT_COOKIE_MINUTES = 30
const LANGUAGE_COOKIE_SECONDS = 31_536_000

/** Opens the cookie of this link. Returns NOTHING_REMEMBERED if it is too old, of another link or was changed. */
export function openInputCookie(
  vault: Vault,
  link: CookieLink,
  { cookies, nowMs }: { cookies: Map<string, string>; nowMs: number },
): RememberedInput {
  const sealed = cookies.get(INPUT_COOKIE)
  if (sealed === undefined) return NOTHING_REMEMBERED
  try {
    const { until, ...remembered } = JSON.parse(
      vault.open(Buffer.from(sealed, 'base64url'), vaultBinding(link)),
    ) as RememberedInput & { until: number }
    return until > nowMs ? remembered : NOTHING_REMEMBERED
  } catch {
    // A cookie that is cut, forged, or sealed for another key or link is ignored.
    return NOTHING_REMEMBERED
  }
}

/** Returns the Set-Cookie that keeps this input for half an hour, on the pages of this link only. */
export function sealInputCookie(
  vault: Vault,
  link: CookieLink,
  { remembered, nowMs, https }: { remembered: RememberedInput; nowMs: number; https: boolean },
): string {
  const value = vault
    .seal(JSON.stringify({ ...remembered, until: nowMs + INPUT_COOKIE_MINUTES * 60_000 }), vaultBinding(link))
    .toString('base64url')
  return formatCookie(INPUT_COOKIE, value, {
    path: linkPath(link.id),
    seconds: INPUT_COOKIE_MINUTES * 60,
    https,
  })
}

export const makeLanguageCookie = (language: string, https: boolean): string =>
  formatCookie(LANGUAGE_COOKIE, language, { path: '/pay', seconds: LANGUAGE_COOKIE_SECONDS, https })

const vaultBinding = ({ merchantId, id }: CookieLink) => ({
  merchantId,
  purpose: 'checkout cookie',
  column: id,
})
