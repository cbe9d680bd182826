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
  canListen,
  cannotListen,
  databaseUrl,
  databaseVariables,
  logVariables,
  poolVariables,
  schemaName,
  workerVariables,
} from '@queue/service'
import { workerSettingsSchema } from '@queue/worker'
import { z } from 'zod'

/**
 * The environment of a worker process. The groups are the settings of other packages, which name their variables. The
 * variables here are settings of the process itself.
 */
export const workerConfig = z
  .object({
    ...databaseVariables,
    ...poolVariables,
    worker: workerSettingsSchema,
    ...workerVariables,
    EXECUTOR: z.enum(['real', 'simulated']).default('real').meta({
      description:
        'real: the worker runs the jobs of EXECUTOR_KINDS. simulated: the worker only waits and sometimes fails; it sends nothing.',
    }),
    EXECUTOR_KINDS: z
      .array(z.enum(builtInKinds, 'is not a built-in kind'))
      .min(1)
      .max(builtInKinds.length)
      .prefault([...builtInKinds])
      .meta({
        accepted: `some of ${builtInKinds.join(', ')}, separated by commas`,
        description:
          'The kinds that EXECUTOR=real runs. Jobs of the other kinds wait for another worker, and their settings are not required.',
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
    OUTBOX_DATABASE_URL: databaseUrl.optional().meta({
      description: 'The database of the service that publishes messages; unset: the one of DATABASE_URL.',
    }),
    OUTBOX_SCHEMA: schemaName
      .default(outboxSchemaDefault)
      .meta({ description: 'The PostgreSQL schema that holds the outbox.' }),
    relay: outboxWorkerConfigSchema,
    ...logVariables,
  })
  .refine(canListen, cannotListen)
  .superRefine(({ EXECUTOR, EXECUTOR_KINDS, email, images }, context) => {
    if (EXECUTOR === 'simulated') return
    for (const { path, message } of missingSettings({ kinds: EXECUTOR_KINDS, email, images })) {
      const remedy = 'set it, leave the kind out of EXECUTOR_KINDS, or set EXECUTOR=simulated'
      context.addIssue({ code: 'custom', path: [...path], message: `${message}: ${remedy}` })
    }
  })

export type WorkerConfig = z.output<typeof workerConfig>
