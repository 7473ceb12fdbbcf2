import assert from 'node:assert/strict'
import type { FormSpec } from '../../../../src/web/parts/forms/form-spec.ts'
import { newOneTimeToken, verifyFormToken } from '../../../../src/web/parts/forms/form-token.ts'
import { PARTS } from '../../../../src/web/parts/texts.ts'
import type { TestService } from '../../../helpers/service/test-service.ts'
import type { Page } from '../../../helpers/web/browser.ts'
import { mainOf } from '../../../helpers/web/dashboard.ts'
import { filledIn } from './filled-in.ts'
import { type Sender, type Sent, tokensOf } from './send-form.ts'

const HOUR_MS = 3_600_000
// The page says it in these words, whatever was wrong.
// Fields are read before the one-time token.
const MEND = PARTS.mend
const SAYS_NOTHING_DONE = /nothing was done/i
const ELSEWHERE = { 'sec-fetch-site': 'cross-site' }

/** A form, who sends it, and somebody else. */
type Aimed = { spec: FormSpec; address: string; person: Sender; other: Sender }
type Try = { name: string; status: number; sent: Sent; headers?: Record<string, string | undefined> }

/** Every way in which this form can arrive wrong, whoever sends it. */
export async function wrongWays(service: TestService, aimed: Aimed): Promise<Try[]> {
  const { spec, address, person, other } = aimed
  const { fields: typed, file } = filledIn(spec)
  const tokens = await tokensOf(service, person, address)
  const foreign = await tokensOf(service, other, address)
  const good: Sent = { address, fields: { ...tokens, ...typed }, file }
  const but = (changed: Record<string, string>): Sent => ({ ...good, fields: { ...good.fields, ...changed } })
  return [
    { name: 'from another site', status: 403, sent: good, headers: ELSEWHERE },
    { name: 'from a sister site', status: 403, sent: good, headers: { 'sec-fetch-site': 'same-site' } },
    { name: 'from nowhere', status: 403, sent: good, headers: { 'sec-fetch-site': undefined } },
    { name: 'without its token', status: 403, sent: but({ csrf: '' }) },
    { name: 'of another session', status: 403, sent: but(foreign) },
    ...(spec.once ? wrongTokens(service, aimed, but) : []),
    ...wrongFields(spec, but),
  ]
}

function wrongTokens(
  service: TestService,
  { address, person }: Aimed,
  but: (changed: Record<string, string>) => Sent,
): Try[] {
  const place = { sessionId: person.sessionId, address }
  const tokenAt = (where: typeof place, ms: number) => newOneTimeToken(service.gateway.vault, where, ms)
  const now = service.clock.nowMs()
  const old = tokenAt(place, now - 12 * HOUR_MS - 1000)
  assert.deepEqual(verifyFormToken(service.gateway.vault, place, { token: old, nowMs: now }), {
    refused: 'expired',
  })
  return [
    { name: 'without its one-time token', status: 403, sent: but({ form: '' }) },
    {
      name: 'of another address',
      status: 403,
      sent: but({ form: tokenAt({ ...place, address: `${address}x` }, now) }),
    },
    { name: 'too old', status: 403, sent: but({ form: old }) },
    { name: 'with a forged token', status: 403, sent: but({ form: `${old.slice(0, -4)}0000` }) },
  ]
}

/** Fields missing, huge or with control characters. What a form does not ask for is not read. */
function wrongFields({ fields }: FormSpec, but: (changed: Record<string, string>) => Sent): Try[] {
  const wanted = fields.filter(({ kind, optional }) => !optional && !['check', 'hidden', 'file'].includes(kind ?? ''))
  const texts = fields.filter(({ kind }) => !['check', 'file'].includes(kind ?? ''))
  return [
    ...wanted.map(({ name }) => ({ name: `without ${name}`, status: 400, sent: but({ [name]: '' }) })),
    ...texts.flatMap(({ name, kind }) => [
      // As long as its form may be at all.
      {
        ...{ name: `with a huge ${name}`, status: 400 },
        sent: but({ [name]: 'x'.repeat(kind === 'lines' ? 200_000 : 50_000) }),
      },
      { name: `with a control character in ${name}`, status: 400, sent: but({ [name]: 'a\u0000b' }) },
    ]),
  ]
}

/** What is wrong with the answer to such a form; null for nothing. */
export function faultIn(reply: Page, { status }: Pick<Try, 'status'>): string | null {
  const says = mainOf(reply)
  if (reply.status !== status && !(reply.status === 400 && says.includes(MEND)))
    return `${reply.status} instead of ${status}: ${says.slice(0, 300)}`
  return SAYS_NOTHING_DONE.test(says) ? null : `does not say that nothing was done: ${says.slice(0, 300)}`
}
