import { join } from 'node:path'
import { postOffice } from '../merchants/mails/post-office.ts'
import { createPoster } from '../platform/outbound/attempt.ts'
import { SUPPLIER_LIMITS } from '../selling/vending/suppliers/supplier.ts'
import type { GatewayParts, ProcessContext } from './app.ts'
import type { Config } from './settings/config.ts'

// How much of a webhook receiver's answer is kept: enough for an error message, which the merchant sees.
const KEPT_ANSWER_BYTES = 2000

/** Makes the posters and their rules: webhooks, machine suppliers with their own allow-list, alerts, and mails. */
export function openPosters({
  config,
  resolve,
  log,
}: GatewayParts): Pick<
  ProcessContext,
  'poster' | 'targetRules' | 'supplierPoster' | 'supplierRules' | 'alertPoster' | 'postOffice'
> {
  const targetRules = { ownHosts: ownHosts(config), allowPrivate: config.webhookAllowPrivate }
  const supplierRules = { ...targetRules, allowPrivate: config.supplierAllowPrivate }
  const resolving = resolve ? { resolve } : {}
  const toOperator = [config.alertWebhook, config.heartbeatUrl].flatMap(allowedHostPort)
  const toSuppliers = { ...supplierRules, ...resolving, limits: SUPPLIER_LIMITS, keepBody: true }
  return {
    targetRules,
    supplierRules,
    poster: createPoster({ ...targetRules, ...resolving, keepFirstBytes: KEPT_ANSWER_BYTES }),
    supplierPoster: createPoster(toSuppliers),
    alertPoster: createPoster({ ...targetRules, ...resolving, allowPrivate: toOperator }),
    postOffice: postOffice({
      url: config.mailUrl,
      from: config.mailFrom,
      folder: join(config.dataDir, 'mail'),
      log,
    }),
  }
}

const ownHosts = ({ baseUrl, host }: Config): string[] =>
  baseUrl === null ? [host] : [new URL(baseUrl).hostname, host]

/** The entry of an allow-list for one of our own alert addresses, which may be private. None for null. */
function allowedHostPort(address: string | null): string[] {
  if (address === null) return []
  const { hostname, port, protocol } = new URL(address)
  return [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`]
}
