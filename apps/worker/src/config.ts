import { simulationOptionsSchema } from '@queue/executor'
import {
  builtInKinds,
  emailSettingsSchema,
  imageSettingsSchema,
  missingSettings,
  outgoingSettingsSchema,
  webhookSettingsSchema,
} from '@queue/handlers/settings'
import { outboxSchemaDefault, outboxWorkerConfigSchema } from '@queue/outbox/settings'
import {
  bindAddress,
  databaseUrl,
  databaseVariables,
  logVariables,
  poolVariables,
  schemaName,
} from '@queue/service'
import { workerSettingsSchema } from '@queue/worker'
import { z } from 'zod'
import { bindAddressDefault } from './bind-address-default.ts'

/**
 * The environment of a worker process. The groups are the settings of the packages, which name their variables; here is
 * only what the process itself decides.
 */
export const workerConfig = z
  .object({
    ...databaseVariables,
    ...poolVariables,
    worker: workerSettingsSchema,
    WORKER_NOTIFY: z.boolean().optional().meta({
      unset: 'on',
      description:
        'Whether a connection listens for new jobs. off: only poll; always so with DATABASE_POOLER=transaction.',
    }),
    WORKER_METRICS_BIND_ADDR: bindAddress
      .prefault(bindAddressDefault)
      .meta({ description: 'Where /livez, /readyz, /health and /metrics are served.' }),
    EXECUTOR: z.enum(['real', 'simulated']).default('real').meta({
      description:
        'real: the jobs are done, as far as EXECUTOR_KINDS says. simulated: the worker waits, fails now and then, and sends nothing to anyone.',
    }),
    EXECUTOR_KINDS: z
      .array(z.enum(builtInKinds, 'is no built-in kind'))
      .min(1)
      .max(builtInKinds.length)
      .prefault([...builtInKinds])
      .meta({
        accepted: `some of ${builtInKinds.join(', ')}, separated by commas`,
        description:
          'The kinds that EXECUTOR=real does; jobs of the others wait for another worker, and their settings are not demanded.',
      }),
    simulation: simulationOptionsSchema,
    email: emailSettingsSchema,
    images: imageSettingsSchema,
    webhooks: webhookSettingsSchema,
    outgoing: outgoingSettingsSchema,
    WORKER_OUTBOX: z
      .boolean()
      .default(false)
      .meta({
        description:
          'Whether this process also relays an outbox: each message whose topic is the name of a built-in kind becomes ' +
          'a job of that kind.',
      }),
    OUTBOX_DATABASE_URL: databaseUrl
      .optional()
      .meta({ description: 'The database of the service that publishes; unset: the one of DATABASE_URL.' }),
    OUTBOX_SCHEMA: schemaName
      .default(outboxSchemaDefault)
      .meta({ description: 'The PostgreSQL schema that holds the outbox.' }),
    relay: outboxWorkerConfigSchema,
    ...logVariables,
  })
  .refine((config) => config.DATABASE_POOLER !== 'transaction' || config.WORKER_NOTIFY !== true, {
    path: ['WORKER_NOTIFY'],
    message:
      'cannot be on with DATABASE_POOLER=transaction: such a pooler gives every transaction another connection, and ' +
      'LISTEN belongs to one; leave WORKER_NOTIFY unset, or give a DATABASE_URL that bypasses the pooler',
  })
  .superRefine(({ EXECUTOR, EXECUTOR_KINDS, email, images }, context) => {
    if (EXECUTOR === 'simulated') return
    for (const { path, message } of missingSettings({ kinds: EXECUTOR_KINDS, email, images })) {
      const choice = 'set it, leave the kind out of EXECUTOR_KINDS, or set EXECUTOR=simulated'
      context.addIssue({ code: 'custom', path: [...path], message: `${message}: ${choice}` })
    }
  })

export type WorkerConfig = z.output<typeof workerConfig>
