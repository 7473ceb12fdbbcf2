import type { Client, RequestOptions } from '../client.ts'
import {
  changeWebhookAddress,
  createWebhookAddress,
  getWebhookAddress,
  listWebhookAddresses,
  pauseWebhookAddress,
  removeWebhookAddress,
  resumeWebhookAddress,
  rotateWebhookAddress,
  testWebhookAddress,
} from '../generated/sdk.gen.ts'
import type { WebhookAddressChange, WebhookAddressCreate, WebhookAddressRotate } from '../generated/types.gen.ts'

/** Where your events are posted: up to five addresses. */
export class WebhookAddresses {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  /** All of them, the first one first. */
  list(options?: RequestOptions) {
    return listWebhookAddresses({ client: this.#client, call: options })
  }

  retrieve(id: string, options?: RequestOptions) {
    return getWebhookAddress({ client: this.#client, path: { id }, call: options })
  }

  /** Adds one; its secret is in this answer alone, and in a repeat under the same key. */
  create(address: WebhookAddressCreate, options?: RequestOptions) {
    return createWebhookAddress({ client: this.#client, body: address, call: options })
  }

  change(id: string, change: WebhookAddressChange, options?: RequestOptions) {
    return changeWebhookAddress({ client: this.#client, path: { id }, body: change, call: options })
  }

  /** Makes a new secret. It is sent once unless you say otherwise: a second time would end the secret that your receiver knows. */
  rotate(id: string, body?: WebhookAddressRotate, options?: RequestOptions) {
    return rotateWebhookAddress({ client: this.#client, path: { id }, body, call: { maxRetries: 0, ...options } })
  }

  /** Sends it a `test.ping`. */
  test(id: string, options?: RequestOptions) {
    return testWebhookAddress({ client: this.#client, path: { id }, call: options })
  }

  /** Its events wait. */
  pause(id: string, options?: RequestOptions) {
    return pauseWebhookAddress({ client: this.#client, path: { id }, call: options })
  }

  /** Sends what waits, and what it had failed to take. */
  resume(id: string, options?: RequestOptions) {
    return resumeWebhookAddress({ client: this.#client, path: { id }, call: options })
  }

  remove(id: string, options?: RequestOptions) {
    return removeWebhookAddress({ client: this.#client, path: { id }, call: options })
  }
}
