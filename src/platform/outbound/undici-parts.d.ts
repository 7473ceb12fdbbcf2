// Parts of undici by their own paths. The whole package also fetches, caches and keeps cookies; loading it takes a tenth of a start.
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export = Client
}
declare module 'undici/lib/api/api-request.js' {
  import type { Client, Dispatcher } from 'undici'

  /** `client.request`, which only the whole package puts there. */
  function request(this: Client, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>
  export = request
}
declare module 'undici/lib/core/errors.js' {
  import { errors } from 'undici'
  export = errors
}
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export = Pool
}
