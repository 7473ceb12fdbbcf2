// npm mtn-momo-client 1.0.0, which has no option for the address: its HTTP library gets ours in the place of the sandbox's.
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { check } from './checks.mjs'
import { ALL_ENDED_MS, ENDS, PREFIXES } from './matrix.mjs'

const SANDBOX = 'https://sandbox.momodeveloper.mtn.com'
const own = createRequire(import.meta.url)

export async function runMtnMomoClient(emulator) {
  const axios = createRequire(own.resolve('mtn-momo-client'))('axios')
  const create = axios.create
  axios.create = ({ baseURL, ...more }) =>
    create.call(axios, { ...more, baseURL: baseURL.replace(SANDBOX, emulator.url) })
  const client = own('mtn-momo-client')
  const collection = client.createCollectionAPI(await userOf(client, emulator, 'collection'))
  const disbursement = client.createDisbursementAPI(await userOf(client, emulator, 'disbursement'))
  await checkEnds(emulator, {
    product: 'collection',
    pay: (partyId) => collection.requestToPay(payment(emulator, 'payer', partyId)),
    ask: (referenceId) => collection.requestToPayTransactionStatus({ referenceId }),
  })
  await checkEnds(emulator, {
    product: 'disbursement',
    pay: (partyId) => disbursement.transfer(payment(emulator, 'payee', partyId)),
    ask: (referenceId) => disbursement.getTransferStatus({ referenceId }),
  })
  await checkCalls(emulator, { collection, disbursement })
}

const say = (what) => `mtn-momo-client: ${what}`

async function userOf(client, { credentials, targetEnvironment }, product) {
  const { subscriptionKey } = credentials[product]
  const made = await client.createAPIUserAndKey({ subscriptionKey, providerCallbackHost: 'localhost' })
  await check(say(`the environment of its ${product} user`), targetEnvironment, () => made.targetEnvironment)
  return { subscriptionKey, targetEnvironment, userId: made.userId, apiKey: made.apiKey }
}

const payment = ({ currency }, side, partyId) => ({
  ...{ amount: '50', currency, externalId: '123456', [side]: { partyIdType: 'MSISDN', partyId } },
  ...{ payerMessage: 'testing', payeeNote: 'hello', callbackURL: 'http://localhost:9/callback' },
})

async function checkEnds(emulator, { product, pay, ask }) {
  const references = {}
  for (const nn of Object.keys(ENDS[product])) {
    const { referenceId } = await pay(`${PREFIXES.sandbox}${nn}`)
    references[nn] = referenceId
  }
  await emulator.advance(ALL_ENDED_MS)
  for (const [nn, word] of Object.entries(ENDS[product]))
    await check(say(`${product} ${nn}`), word === null ? ['SUCCESSFUL'] : ['FAILED', word], async () => {
      const { status, reason } = await ask(references[nn])
      return reason === undefined ? [status] : [status, reason]
    })
}

async function checkCalls(emulator, { collection, disbursement }) {
  const accountHolderMSISDN = `${PREFIXES.sandbox}99`
  const holder = { accountHolderIdType: 'msisdn', accountHolderId: accountHolderMSISDN }
  for (const [name, api] of Object.entries({ collection, disbursement })) {
    await check(say(`balance of ${name}`), emulator.currency, async () => (await api.getAccountBalance()).currency)
    await check(say(`${name}: an active holder`), true, () => api.validateAccountHolderStatus(holder))
    await check(
      say(`${name}: a name`),
      'Holder',
      async () => (await api.getBasicUserInfo({ accountHolderMSISDN })).givenName,
    )
  }
  const { referenceId } = await collection.requestToPay(payment(emulator, 'payer', accountHolderMSISDN))
  const notificationMessage = 'Thank you'
  await check(say('a message about a payment'), { notificationMessage }, () =>
    collection.requestToPayDeliveryNotification({ referenceId, notificationMessage }),
  )
  await check(say('an unknown reference'), [404, 'RESOURCE_NOT_FOUND'], () =>
    collection
      .requestToPayTransactionStatus({ referenceId: randomUUID() })
      .catch(({ response }) => [response.status, response.data.code]),
  )
}
