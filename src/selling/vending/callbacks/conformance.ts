import { Type } from 'typebox'
import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { requireActive } from '../../../merchants/account/merchant.ts'
import { badRequest, bodyTooLarge, domainRefusal, Refusal } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import {
  FRESH_MS,
  MAX_CALLBACK_BYTES,
  parseCallbackReport,
  parseMachineCallback,
  parseTimestampMs,
} from './callback-body.ts'
import { readCallbackSecrets, type SecretKind } from './callback-secrets.ts'
import { buildSignedBases, type CallbackMember, findSigner, isScalar, parseMembers } from './callback-signing.ts'

const SECRET_KINDS = ['dispense_secret', 'operator_secret', 'api_secret', 'collections_key'] as const

// Payload and sign have rules and texts of their own, so the reader of bodies passes them on unchecked.
const RAW = { raw: true }
export const ConformanceShape = Type.Object(
  {
    payload: Type.Unsafe<unknown>({
      type: 'object',
      description: 'the callback body, exactly',
      examples: [{ ddbh: 'lnk_1', jqbh: 'M-1', status: '1', timestamp: 1724750000000 }],
      ...RAW,
    }),
    sign: Type.Unsafe<unknown>({
      type: 'string',
      description: '32 hex digits',
      examples: ['76f1052260991e085a760105a41e8ef9'],
      ...RAW,
    }),
    timestamp: Type.Optional(
      Type.Unsafe<unknown>({
        type: 'string',
        description: 'without it that of the payload is taken',
        ...RAW,
      }),
    ),
  },
  { $id: 'VendingConformanceCheck' },
)

export const ConformanceResultShape = Type.Object(
  {
    ok: Type.Boolean({ description: 'the signature is right' }),
    secret_kind: Type.Union([Type.Enum(SECRET_KINDS, { $id: 'VendingSecretKind' }), Type.Null()], {
      description: 'which of your secrets has signed',
    }),
    vendor: Type.Literal('default'),
    profile: Type.Literal('dispense-result-v1'),
    expected_reqData_any_of: Type.Array(Type.String(), {
      description: 'what may be signed, between timestamp and the end; empty when the signature is right',
    }),
    timestamp_fresh: Type.Boolean({ description: 'within five minutes of now; never decides `ok`' }),
    hint: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'VendingConformance' },
)

/** The answer of POST /v1/vending/conformance (contract.md G38). */
export type ConformanceResult = {
  ok: boolean
  secret_kind: SecretKind | null
  vendor: 'default'
  profile: 'dispense-result-v1'
  expected_reqData_any_of: string[]
  timestamp_fresh: boolean
  hint: string | null
}

type ConformanceInput = { payload: string; members: CallbackMember[]; sign: string; timestamp: string }

/**
 * Checks whether a callback is signed correctly, without sending one (contract.md G38): moves nothing, stores nothing, and
 * shows no digest or secret. `body` is the text of the request, because numbers are signed as they are written.
 */
export async function checkConformance(app: App, caller: Caller, body: string): Promise<ConformanceResult> {
  allow(caller, 'vending.check')
  const { merchantId, mode } = caller
  const input = parseConformanceInput(body)
  await requireActive(app, merchantId)
  const secrets = await readCallbackSecrets(app, { merchantId, mode })
  const bases = buildSignedBases(input.members)
  const { sign, timestamp } = input
  const signer = findSigner(
    secrets.map(({ secret }) => secret),
    { sign, timestamp, bases },
  )
  const own = secrets.some(({ kind }) => kind === 'dispense_secret' || kind === 'operator_secret')
  if (signer === null && !own)
    throw domainRefusal('no_vendor_secret', 'no vendor secret configured - generate a dispense secret first')
  const timestampMs = parseTimestampMs(timestamp)
  const isFresh = timestampMs !== null && Math.abs(app.clock.nowMs() - timestampMs) <= FRESH_MS
  return {
    ok: signer !== null,
    secret_kind: signer === null ? null : (secrets[signer]?.kind ?? null),
    vendor: 'default',
    profile: 'dispense-result-v1',
    expected_reqData_any_of: signer === null ? bases : [],
    timestamp_fresh: isFresh,
    hint: signer === null ? explainUnsigned(input, timestampMs) : explainRefusal(input, isFresh),
  }
}

// Every callback that we accept fits, with the JSON around it.
const MAX_BODY_CHARACTERS = 2 * MAX_CALLBACK_BYTES

function parseConformanceInput(body: string): ConformanceInput {
  if (body.length > MAX_BODY_CHARACTERS) throw bodyTooLarge()
  // An empty body counts as an object without fields.
  const bodyMembers = parseMembers(body === '' ? '{}' : body)
  const find = (name: string) => bodyMembers.find((member) => member.name === name)
  const payload = find('payload')
  const sign = find('sign')
  if (payload?.kind !== 'object' || sign?.kind !== 'string' || sign.text.trim() === '')
    throw badRequest('payload and sign are required')
  const text = body.slice(...payload.value)
  const members = parseMembers(text)
  const timestamp =
    findTimestampText(find('timestamp')) ?? findTimestampText(members.find(({ name }) => name === 'timestamp')) ?? ''
  return { payload: text, members, sign: sign.text.trim(), timestamp }
}

const findTimestampText = (member: CallbackMember | undefined) =>
  member && isScalar(member) && member.text !== '' ? member.text : null

function explainUnsigned({ sign, timestamp }: ConformanceInput, timestampMs: number | null): string {
  if (!/^[0-9a-f]{32}$/i.test(sign)) return 'sign must be 32 hex digits: an MD5'
  if (timestamp === '') return 'timestamp is missing'
  if (timestampMs === null) return 'timestamp must be 10 or 13 digits'
  return 'sign is the lowercase hex MD5 of secret + timestamp + reqData, with nothing between them'
}

/** Why a real callback with a right signature would be refused; null if it would not. */
function explainRefusal({ payload, sign, timestamp }: ConformanceInput, isFresh: boolean): string | null {
  if (!isFresh) return 'the signature is right; a real callback must be sent within 5 minutes of its timestamp'
  try {
    parseCallbackReport(parseMachineCallback(Buffer.from(completePayload(payload, { sign, timestamp }))))
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return `the signature is right; a real callback would be refused: ${error.message}`
  }
}

/** Adds the sign and the timestamp that came beside the payload, unless the payload has them. */
function completePayload(payload: string, beside: { sign: string; timestamp: string }): string {
  const names = parseMembers(payload).map(({ name }) => name)
  const missing = Object.entries(beside).filter(([name]) => !names.includes(name))
  const added = missing.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  const rest = payload.slice(1).trimStart()
  return `{${added.join(',')}${added.length > 0 && rest !== '}' ? ',' : ''}${rest}`
}
