// npm mtn-momo 2.0.0: provisioning, tokens, both products, and its own class of error for each word of the operator.
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { check, refusalOf } from './checks.mjs'
import { ALL_ENDED_MS, ENDS, PREFIXES } from './matrix.mjs'

const { create } = createRequire(import.meta.url)('mtn-momo')

/** The class it has for a word; for words that it does not know it says "unspecified". */
const CLASSES = {
  INTERNAL_PROCESSING_ERROR: 'InternalProcessingError',
  APPROVAL_REJECTED: 'ApprovalRejectedError',
  EXPIRED: 'ExpiredError',
  PAYER_NOT_FOUND: 'PayerNotFoundError',
  PAYEE_NOT_FOUND: 'PayeeNotFoundError',
  PAYEE_NOT_ALLOWED_TO_RECEIVE: 'PayeeNotAllowedToReceiveError',
  NOT_ALLOWED: 'NotAllowedError',
  NOT_ALLOWED_TARGET_ENVIRONMENT: 'NotAllowedTargetEnvironmentError',
  INVALID_CALLBACK_URL_HOST: 'InvalidCallbackUrlHostError',
  INVALID_CURRENCY: 'InvalidCurrencyError',
  SERVICE_UNAVAILABLE: 'ServiceUnavailableError',
  NOT_ENOUGH_FUNDS: 'NotEnoughFundsError',
  PAYER_LIMIT_REACHED: 'PayerLimitReachedError',
}
const classOf = (word) => CLASSES[word] ?? 'UnspecifiedError'

export async function runMtnMomo(emulator, profile) {
  const { url, targetEnvironment: environment } = emulator
  const momo = create({ callbackHost: 'localhost', baseUrl: url, environment })
  const say = (what) => `mtn-momo, ${profile}: ${what}`
  const keysOf = (product) => (profile === 'sandbox' ? provisioned(momo, emulator, product) : given(emulator, product))
  const collections = momo.Collections(await keysOf('collection'))
  const disbursements = momo.Disbursements(await keysOf('disbursement'))
  await checkEnds(emulator, {
    say,
    profile,
    product: 'collection',
    pay: payInto(emulator, collections),
    ask: collections,
  })
  await checkEnds(emulator, {
    say,
    profile,
    product: 'disbursement',
    pay: payOut(emulator, disbursements),
    ask: disbursements,
  })
  await checkCalls(emulator, { say, profile, collections, disbursements })
}

const given = ({ credentials }, product) => {
  const { subscriptionKey: primaryKey, user: userId, secret: userSecret } = credentials[product]
  return { primaryKey, userId, userSecret }
}

async function provisioned(momo, { credentials }, product) {
  const { subscriptionKey: primaryKey } = credentials[product]
  const users = momo.Users({ primaryKey })
  const userId = await users.create('localhost')
  const { apiKey: userSecret } = await users.login(userId)
  return { primaryKey, userId, userSecret }
}

const payInto =
  ({ currency }, collections) =>
  (partyId) =>
    collections.requestToPay({
      ...{ amount: '50', currency, externalId: '123456', payer: { partyIdType: 'MSISDN', partyId } },
      ...{ payerMessage: 'testing', payeeNote: 'hello', callbackUrl: 'http://localhost:9/callback' },
    })

const payOut =
  ({ currency }, disbursements) =>
  (partyId, referenceId = randomUUID()) =>
    disbursements.transfer({
      ...{
        referenceId,
        amount: '100',
        currency,
        externalId: '947354',
        payee: { partyIdType: 'MSISDN', partyId },
      },
      ...{ payerMessage: 'testing', payeeNote: 'hello' },
    })

async function checkEnds(emulator, { say, profile, product, pay, ask }) {
  const references = {}
  for (const nn of Object.keys(ENDS[product])) references[nn] = await pay(`${PREFIXES[profile]}${nn}`)
  await check(say(`${product} 53 is pending`), 'PENDING', async () => (await ask.getTransaction(references[53])).status)
  await emulator.advance(ALL_ENDED_MS)
  for (const [nn, word] of Object.entries(ENDS[product])) {
    const asked = () => ask.getTransaction(references[nn])
    if (word === null) await check(say(`${product} ${nn}`), 'SUCCESSFUL', async () => (await asked()).status)
    else await check(say(`${product} ${nn}`), classOf(word), () => refusalOf(asked()))
  }
}

async function checkCalls(emulator, { say, profile, collections, disbursements }) {
  const phone = `${PREFIXES[profile]}99`
  const { currency } = emulator
  await check(say('balance of collections'), currency, async () => (await collections.getBalance()).currency)
  await check(say('balance of disbursements'), currency, async () => (await disbursements.getBalance()).currency)
  await check(say('an active payer'), { result: true }, () => collections.isPayerActive(phone))
  await check(say('an active payee'), true, () => disbursements.isPayerActive(phone))
  await check(say('an inactive payee'), false, () => disbursements.isPayerActive(`${PREFIXES[profile]}51`))
  const reference = randomUUID()
  await payOut(emulator, disbursements)(phone, reference)
  await check(say('a second transfer'), 'ResourceAlreadyExistError', () =>
    refusalOf(payOut(emulator, disbursements)(phone, reference)),
  )
  await check(say('an unknown reference'), 'ResourceNotFoundError', () =>
    refusalOf(disbursements.getTransaction(randomUUID())),
  )
  emulator.setRules([{ reasonAsObject: true, resolve: { status: 'FAILED', reason: 'EXPIRED' } }])
  const object = await payInto(emulator, collections)(`${PREFIXES[profile]}98`)
  await check(say('a reason as an object'), 'UnspecifiedError', () => refusalOf(collections.getTransaction(object)))
}
