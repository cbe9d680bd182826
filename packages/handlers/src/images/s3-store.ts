import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { ImageSettings } from '../settings.ts'
import { mediaTypes } from './image-formats.ts'
import type { ImageStore } from './image-store.ts'

/** The SDK repeats a lost request once; the queue does all further retries. */
const requestsMax = 2

/** Stores results as objects in a bucket of an S3-compatible store, under the path of `results`. */
export function createS3Store(results: URL, settings: ImageSettings): ImageStore {
  const { s3Endpoint, s3Region, s3AccessKeyId, s3SecretAccessKey, timeoutMs } = settings
  const bucket = results.hostname
  const prefix = decodeURIComponent(results.pathname).replace(/^\/+|\/+$/g, '')
  const client = new S3Client({
    region: s3Region,
    maxAttempts: requestsMax,
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs },
    ...(s3Endpoint === undefined ? {} : { endpoint: s3Endpoint, forcePathStyle: true }),
    ...(s3AccessKeyId === undefined || s3SecretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey } }),
  })
  return {
    put: async ({ id, image: { data, format }, signal }) => {
      const key = `${prefix === '' ? '' : `${prefix}/`}${id}.${format}`
      const object = { Bucket: bucket, Key: key, Body: data, ContentType: mediaTypes[format] }
      await client.send(new PutObjectCommand(object), { abortSignal: signal })
      return { location: `s3://${bucket}/${key}` }
    },
    close: () => {
      client.destroy()
      return Promise.resolve()
    },
  }
}
