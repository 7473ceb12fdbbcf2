import type { FastifyInstance } from 'fastify'
import type { Asset } from '../asset.ts'

const MAX_AGE_S = 31_536_000

/** Serves these files, for a year: their addresses change with their bytes. */
export function serveAssets(server: FastifyInstance, assets: readonly Asset[]): void {
  for (const asset of assets)
    server.get(asset.path, (_request, reply) =>
      reply
        .headers({
          'Content-Type': asset.type,
          'Cache-Control': `public, max-age=${MAX_AGE_S}, immutable`,
          ETag: asset.etag,
          'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
        })
        .send(asset.body),
    )
}
