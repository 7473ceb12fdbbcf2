// npm mtn-momo-sdk 1.3.0: it gets as far as its payment, and sends a callback address without a scheme, which is refused.
import { createRequire } from 'node:module'
import { check } from './checks.mjs'

export async function runMtnMomoSdk(emulator) {
  Object.assign(process.env, {
    ...{
      MTN_MOMO_ENV: 'sandbox',
      LOCAL_CURRENCY: emulator.currency,
      MOMO_API_BASE_URL_SANDBOX: emulator.url,
    },
    X_TARGET_ENVIRONMENT_SANDBOX: emulator.targetEnvironment,
    SUBSCRIPTION_KEY_SANDBOX: emulator.credentials.collection.subscriptionKey,
    PROVIDER_CALLBACK_HOST_SANDBOX: 'localhost',
  })
  const { processPayment } = createRequire(import.meta.url)('mtn-momo-sdk')
  const pay = () =>
    quietly(() => processPayment('50', '46733123499', 'order 1')).catch(({ response }) => [
      response?.status,
      response?.data?.code,
    ])
  await check('mtn-momo-sdk: its callback address without a scheme', [400, 'VALIDATION_ERROR'], pay)
  const seen = emulator
    .journal()
    .slice(-4)
    .map(({ path, answer }) => [path.replace(/[0-9a-f-]{36}/, 'id'), answer])
  await check(
    'mtn-momo-sdk: user, key and token came before',
    [
      ['/v1_0/apiuser', 201],
      ['/v1_0/apiuser/id/apikey', 201],
      ['/collection/token/', 200],
      ['/collection/v1_0/requesttopay', 400],
    ],
    () => seen,
  )
}

/** It prints every step that it takes. */
async function quietly(work) {
  const { log, error } = console
  console.log = () => {}
  console.error = () => {}
  try {
    return await work()
  } finally {
    Object.assign(console, { log, error })
  }
}
