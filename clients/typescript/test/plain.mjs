// A merchant's program in JavaScript. It prints what it was answered.
import { Gateway, NotFoundError, VERSION } from 'mobile-money-gateway'

const gateway = new Gateway({ apiKey: process.env.GATEWAY_KEY, baseUrl: process.env.GATEWAY_URL })
const charges = await gateway.charges.list().toArray({ limit: 10 })
const missing = await gateway.charges.retrieve('txn_aaaaa0000000000000000').catch((error) => error)
console.log(JSON.stringify({ charges: charges.length, missing: missing instanceof NotFoundError, version: VERSION }))
