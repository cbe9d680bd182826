// Made from the OpenAPI document of the API by `pnpm --filter @queue/client generate`.
export interface paths {
    "/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs, newest first
         * @description Returns the jobs that match all filters. Pagination is stable: jobs that are enqueued meanwhile neither repeat nor hide other jobs. A request reads at most 10000 jobs. If few of them match, a page can be short or empty while `next_cursor` is set; `scanned` then shows how far the request has read. A page also ends when its payloads, results and errors reach 2097152 bytes.
         */
        get: operations["listJobs"];
        put?: never;
        /**
         * Enqueue a job
         * @description Enqueues one job. The response is sent after the job is committed. With an idempotency key, the request is safe to repeat after a 504 or a broken connection: a key creates one job for as long as that job is kept. Numbers that a double cannot represent exactly, U+0000, lone surrogates and members named `__proto__` are refused. With `Prefer: wait=N`, the response is sent when the job has ended, or after N seconds. If the job is removed or the database becomes unavailable meanwhile, the response shows the job as it was enqueued.
         */
        post: operations["createJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enqueue up to 1 000 jobs
         * @description Enqueues all jobs in one transaction, or none. If a job is invalid, nothing is written, and each issue has the position of its job, as in `/jobs/3/payload/to`. Each job can have an `idempotency_key`. If a key already exists with a different request, the response contains the original job and `Idempotency-Mismatch: true`. With `Prefer: handling=strict`, or if the server runs with `IDEMPOTENCY_MISMATCH=reject`, such a request fails with 422 instead.
         */
        post: operations["createJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/states": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the states of several jobs
         * @description Returns the members that change while a job runs, for up to 200 jobs in one read. Jobs that do not exist are left out. Nothing is written.
         */
        post: operations["listJobStates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel jobs by filter
         * @description Cancels the waiting jobs that match the filter, and requests the cancellation of running ones. Up to 1000 jobs are changed in one transaction. More become an operation that workers run in batches (202).
         */
        post: operations["cancelJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Requeue jobs by filter
         * @description Requeues the failed and cancelled jobs that match the filter. Jobs whose expiry has passed or whose unique key another job holds are skipped. Up to 1000 jobs are changed in one transaction. More become an operation that workers run in batches (202).
         */
        post: operations["requeueJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/reschedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reschedule jobs by filter
         * @description Changes the earliest start of the matching waiting jobs. A time in the past counts as now. To undo a reschedule that ran at once, send its `previous` to POST /jobs/undo-reschedule. Up to 1000 jobs are changed in one transaction. More become an operation that workers run in batches (202).
         */
        post: operations["rescheduleJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/undo-cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a cancel
         * @description Restores up to 1000 cancelled jobs in one transaction. Each waits again with the start, attempts, expiry and keys that it had. Jobs that were running, that were changed meanwhile or whose unique key another job holds by now are left as they are and counted as skipped. If a unique key is the only reason that no job was restored, the request is refused (409). Repeating the request skips all jobs.
         */
        post: operations["undoCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/undo-requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a requeue
         * @description Restores up to 1000 requeued jobs in one transaction. Each has failed or is cancelled again, with the attempts and times that it had, and its dead letter exists again. Jobs that have started or were changed meanwhile, or were requeued more than 60 minutes ago, are left as they are and counted as skipped. Repeating the request skips all jobs.
         */
        post: operations["undoRequeue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/undo-reschedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a reschedule
         * @description Restores the previous start of up to 1000 jobs in one transaction. A job that was due before is due again. Jobs that no longer wait or that were changed meanwhile are left as they are and counted as skipped. Repeating the request skips all jobs.
         */
        post: operations["undoReschedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete jobs by filter
         * @description Deletes the matching jobs that are not running, with their attempts, logs and dead letters. The action always becomes an operation that workers run in batches (202).
         */
        post: operations["deleteJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase jobs by filter
         * @description Deletes the matching jobs that are not running, with their attempts, logs and dead letters. Also removes their ids from the audit log and their errors from error groups. The action always becomes an operation that workers run in batches (202).
         */
        post: operations["eraseJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a job
         * @description Returns the current state of a job. With `Prefer: wait=N`, the response is sent when the job has ended, or after N seconds. With `If-None-Match`, an unchanged job is answered with 304 and no body.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Edit a waiting job
         * @description Changes a waiting job. The edit is atomic: an attempt sees the job either before or after it. A job in any other state cannot be edited (409). Send the ETag of the job in `If-Match`: if the job has changed since, nothing is written (412). The idempotency key still belongs to the original request.
         */
        patch: operations["editJob"];
        trace?: never;
    };
    "/jobs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the changes of a job
         * @description Streams server-sent events until the job ends. The first event has the current state. `state` reports a change of status, attempts or cancel_requested; `progress` a change of only progress or progress_message; `gone` that the job was deleted. The data is JSON with id, status, attempts, max_attempts, cancel_requested, progress, progress_message and updated_at. Short-lived states can be skipped, but never the final one. After the end, a client that reconnects with `Last-Event-ID` gets 204, which stops an EventSource. With `logs`, each log line of the job is also sent as a `log` event, with the members of GET /jobs/{id}/logs. All lines arrive in order and before the final state. A stream that is opened with the id of a `log` event continues after that line.
         */
        get: operations["getJobEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the attempts of a job
         * @description Returns the ended attempts, oldest first. Up to 100 are kept. A running attempt is not included.
         */
        get: operations["listExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the log lines of a job
         * @description Returns the log lines of all attempts in the order in which they were logged, including those of a running attempt. Up to 1000 lines and 262144 bytes are kept for each attempt; its last line then has the number of dropped lines. Lines are stored within a second, and all lines of an attempt before its end. A request reads at most 10000 lines. With `level`, a page can therefore be short or empty while `next_cursor` is set.
         */
        get: operations["listJobLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/expected-start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Estimate when a job will start
         * @description Returns the position of a waiting job in its queue and an estimated start, based on the last five minutes. Only minutes in which jobs had to wait for a slot are used, because only those show how fast the queue can start jobs. If there is no estimate, `expected_at` is null and `unknown` has the reason. Up to 10000 earlier jobs are counted, including jobs of kinds that no worker runs.
         */
        get: operations["getExpectedStart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why a job does not start
         * @description Returns each reason with its fix. Blocking reasons are conditions of the claim statement itself. If there is none, some live worker can claim the job, and `start` has its position (counted up to 10000) and its estimated start.
         */
        get: operations["getWhy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description Cancels a waiting job immediately (200). For a running job, the cancellation is requested (202), and the handler stops at its next safe point. If the handler finishes first, its real outcome is recorded. A job that has ended cannot be cancelled (409).
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Requeue a failed or cancelled job
         * @description Queues the job again with a fresh set of attempts, due now, and deletes its dead letter. If the expiry of the job has passed, send a later one.
         */
        post: operations["requeueJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/run-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a waiting job now
         * @description Makes the job due immediately. It starts as soon as a worker is free. Only a waiting job can be run now (409 otherwise).
         */
        post: operations["runJobNow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Duplicate a job
         * @description Enqueues a new job with the same kind, payload, queue, tenant and options. The new job has no idempotency key and no unique key, and is due immediately. A receipt (a job whose payload retention has removed) cannot be duplicated.
         */
        post: operations["duplicateJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a link to a job
         * @description Creates a link that reads this job without credentials for 15 minutes. The job is shown without its payload and result. The link stops working when the API key that created it is revoked or expires. Without API_LINK_SECRET, the server supports no links, and this path returns 404.
         */
        post: operations["createJobLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/linked-jobs/{link}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job by link
         * @description Returns the current state of the job, with sensitive values masked. A link that is invalid, has expired, or whose creator can no longer read the job returns 404, without saying which. The links of one creator to a job allow a burst of 20 reads and then 2 reads a second, in each process.
         */
        get: operations["getLinkedJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List error groups
         * @description Groups failed attempts by their cause, queue and tenant; the group that was seen last comes first. The cause is the kind, the class of the error, its message without numbers, ids and quoted values, and the place where it was thrown. Attempts whose worker was lost belong to no group. With `from` or `to`, only groups with failures in that time range are returned, each with its number of failures, their share of the attempts of the kind, and the trend. Failures are counted by the hour (UTC) in the transaction that records them; hours are kept for 30 days. The last 10000 groups are kept for as long as failed jobs. A group that fails again during pagination can move to another page. Bulk actions take a fingerprint as a filter.
         */
        get: operations["listErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dead letters, newest first
         * @description Returns the dead letters that match all filters. Pagination is stable while jobs fail. A request reads at most 10000 dead letters. If few of them match, a page can be short or empty while `next_cursor` is set. A page also ends when its payloads, histories and errors reach 2097152 bytes.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Requeue dead letters by filter
         * @description Requeues the dead letters that match the filter, or all of them if all is true. Up to 1000 are requeued in one transaction. More become an operation that workers run in batches (202).
         */
        post: operations["requeueDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a dead letter
         * @description Returns the job as it was when it failed for the last time, with the history of its attempts.
         */
        get: operations["getDeadLetter"];
        put?: never;
        post?: never;
        /**
         * Delete a dead letter
         * @description Deletes the dead letter. Its job is kept, with the status `failed_permanent`.
         */
        delete: operations["deleteDeadLetter"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dead-letters/{id}/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Requeue a dead letter
         * @description Queues the job again with a fresh set of attempts, due now, and deletes the dead letter in the same transaction. A job that retention has removed meanwhile is recreated under its own id.
         */
        post: operations["requeueDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operations, newest first
         * @description Returns the bulk actions that workers run in batches. A scoped caller sees the operations that were created within its own scope.
         */
        get: operations["listOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an operation
         * @description Returns the operation with its progress.
         */
        get: operations["getOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an operation
         * @description Stops an operation. After the response, it changes no more jobs; jobs that it has already changed stay changed. An operation that has ended is returned as it is.
         */
        post: operations["cancelOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List schedules
         * @description Returns the schedules that match the filters, sorted by name.
         */
        get: operations["listSchedules"];
        put?: never;
        /**
         * Create a schedule
         * @description Creates a schedule, which enqueues one job at each of its run times, exactly once however many workers run. The defaults of the kind (queue, priority, attempts) are copied into the schedule and do not change with the kind later.
         */
        post: operations["createSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a timing
         * @description Returns the next run times of a timing, from now by the clock of the database. Nothing is written.
         */
        post: operations["previewTiming"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync the schedules of a source
         * @description Creates and updates the schedules of a source to match the list, in one transaction. Unchanged schedules keep their next run time, and paused schedules stay paused. With `prune`, other schedules of the source are deleted. A request whose revision is lower than the current one changes nothing.
         */
        post: operations["syncSchedules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a schedule
         * @description Returns the schedule with its next and last run and its counters.
         */
        get: operations["getSchedule"];
        put?: never;
        post?: never;
        /**
         * Delete a schedule
         * @description Deletes the schedule. After the response, the schedule enqueues nothing. Jobs that it has already enqueued are kept.
         */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        /**
         * Update a schedule
         * @description Changes the members that are sent. Absent members stay; null removes a value. A cron expression replaces an interval; an interval replaces an expression and its time zone. A new kind or payload sets version and key as in a new schedule, unless they are sent. If the change moves the run times, the schedule starts again from now. Otherwise, a run that is already due uses the new values.
         */
        patch: operations["updateSchedule"];
        trace?: never;
    };
    "/schedules/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a schedule
         * @description After the response, the schedule enqueues nothing until it is resumed. Pausing a paused schedule has no effect.
         */
        post: operations["pauseSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a schedule
         * @description Resumes a paused schedule from now. Runs that were due during the pause are not made up for. Resuming a schedule that is not paused has no effect.
         */
        post: operations["resumeSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules/{name}/run-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a schedule now
         * @description Enqueues one job of the schedule immediately, even if the schedule is paused. Its run times do not change. With an idempotency key, the request is safe to repeat.
         */
        post: operations["runScheduleNow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schedules/{name}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a schedule
         * @description Returns the next run times of a schedule, from now by the clock of the database, as if it were not paused.
         */
        get: operations["previewSchedule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List queues
         * @description Returns every queue that a worker has served or that has unfinished jobs, sorted by name. Each has its jobs by state, the number of due jobs, the age of the oldest due job and its live workers. A page reads only the unfinished jobs of its queues.
         */
        get: operations["listQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues/{name}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of a queue
         * @description Returns the job keys (such as customers or accounts) with the most waiting jobs in a queue, and whether limits on the key hold these jobs back. Up to 10000 waiting jobs are counted. In a larger queue, keys are found in a sample of the table and each is counted up to 1000; keys of a tenant are found in its first 10000 waiting jobs. The response time therefore does not grow with the queue. A queue that does not exist has no keys.
         */
        get: operations["listQueueKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a queue
         * @description Pauses a queue. After the response, no worker starts a job of the queue. Running jobs continue, and jobs can still be enqueued. Pausing a paused queue has no effect.
         */
        post: operations["pauseQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a queue
         * @description Lets workers start jobs of the queue again. Resuming a queue that is not paused has no effect.
         */
        post: operations["resumeQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues/{name}/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Purge a queue
         * @description Deletes all jobs that wait in the queue now, with their attempts. Running and ended jobs are kept. A purge always becomes an operation that workers run in batches (202). Send `dry_run` first to see how many jobs it deletes.
         */
        post: operations["purgeQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get job statistics over time
         * @description Returns how many jobs were enqueued, started, ended and retried in each minute, hour or day (UTC), and how long they waited and ran. With `by`, the same numbers are returned for each queue, or for each queue and kind, over the whole time range. Minutes are kept for 48 hours, hours for 90 days. Each process adds its counts every 10 seconds, so the last 10 seconds can be missing; a killed process loses its last 10 seconds. No jobs are read.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/attention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what needs attention
         * @description Lists the alert conditions that can be read from the database and are active now: the most severe first, then the oldest. Each has its start, a count up to 1000 and a fix. Rejected completions, stuck handlers, blocked event loops and exhausted pools are known only to their process. Watch its metrics for those.
         */
        get: operations["getAttention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/diagnosis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Run the doctor checks
         * @description Runs the `queue-migrate doctor` checks of the schema, the server and the queue, as far as the database role of the API has the privileges, and lists failures first. Each check is a read-only transaction of at most 1 s. All callers share one result for 10 s.
         */
        get: operations["getDiagnosis"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List limits
         * @description Returns the limits on how many jobs run at a time, how fast they start and how many wait, each with its current use. They are sorted by queue, scope and name.
         */
        get: operations["listLimits"];
        /**
         * Set a limit
         * @description Replaces the limit of a queue, of a kind in it, or of its keys or tenants. After the response, no worker starts a job beyond the limit. Running jobs count toward it, and continue even if they exceed it.
         */
        put: operations["setLimit"];
        post?: never;
        /**
         * Delete a limit
         * @description Deletes a limit. Jobs that it held back can start.
         */
        delete: operations["deleteLimit"];
        options?: never;
        head?: never;
        /**
         * Change a limit
         * @description Changes the members of a limit that are sent. Absent members stay; null removes a value. A limit that does not exist is set. A limit of which the change leaves nothing is deleted; the response then has no value that limits anything.
         */
        patch: operations["changeLimit"];
        trace?: never;
    };
    "/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workers
         * @description Returns the worker processes of the last hour: active ones first, then the newest first.
         */
        get: operations["listWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List job kinds
         * @description Returns the built-in and the registered kinds by name, including retired ones.
         */
        get: operations["listKinds"];
        put?: never;
        /**
         * Register job kinds
         * @description Registers all kind versions, or none. Jobs of these kinds are accepted immediately. Workers register the kinds of their handlers themselves. Registering a different schema for an existing version replaces it; with `KIND_CHANGES=refuse`, it fails with 409 while jobs of that version exist. Patterns are matched in linear time, so lookaround and backreferences are refused.
         */
        post: operations["registerKinds"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kinds/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a job kind
         * @description Returns the versions of a kind, each with its schema, its defaults and the number of live workers that run it.
         */
        get: operations["getKind"];
        put?: never;
        post?: never;
        /**
         * Retire a job kind
         * @description No more jobs of the registered versions are accepted; existing jobs still run. A worker that registers the kind again does not bring it back: send POST /kinds with `restore` for that. Retiring a retired kind has no effect.
         */
        delete: operations["retireKind"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the caller
         * @description Returns the credential of this request, its permissions and its scope.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Returns every API key that was ever created, newest first, including revoked and expired keys. Secrets are never returned. Create a key with `queue keys create`.
         */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Every API process refuses the key within a second. A revocation cannot be undone. The key stays in the list. Revoking a revoked key has no effect.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit log entries, newest first
         * @description Returns the entries that match all filters. Each change of a job, queue, schedule, limit, kind, dead letter or API key by a caller has one entry, which is written in the transaction of the change. Plain enqueues have no entry. Pagination is stable while entries are added. A request reads at most 10000 entries. If few of them match, a page can be short or empty while `next_cursor` is set.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check liveness
         * @description For process supervisors. Answers without a database query, because a restart does not repair a lost database connection.
         */
        get: operations["livez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check readiness
         * @description For load balancers. Ready means that the database answers within 2 s, its schema fits this release, and the process is not stopping. A database that refuses writes, such as a standby, still counts as ready; `writes` is then `refused`. Probes that arrive close together share one result.
         */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check health
         * @description Returns the checks of /readyz and the uptime of the process, for people.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Prometheus metrics
         * @description Returns the metrics of this process and of the queue in the Prometheus text format, version 0.0.4.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show this documentation
         * @description Returns a Swagger UI page that renders the OpenAPI document and can send requests. All its assets are served by this API.
         */
        get: operations["docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{asset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file of the documentation page
         * @description Returns one of swagger-ui.css, swagger-ui-bundle.js, swagger-ui-standalone-preset.js, swagger-ui-init.js, favicon-16x16.png, favicon-32x32.png.
         */
        get: operations["docsAsset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-docs/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the OpenAPI document
         * @description Returns this API as an OpenAPI 3.1 document. It is generated from the schemas that validate requests.
         */
        get: operations["openApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The result of a bulk action or of its dry run. */
        ActResult: {
            /** @description Number of changed jobs. In a dry run: the number of matching jobs, counted up to 100000. */
            count: number;
            /** @description In a dry run: whether count is a lower bound. */
            is_least: boolean;
            /** @description Whether workers run the action as an operation. In a dry run: whether they would, even without a rate. */
            by_workers: boolean;
            /** @description How far the request has read, if it reached its maximum number of rows. Null if it has read everything. */
            scanned: {
                /** @description Number of rows that the request has read. */
                rows: number;
                /**
                 * Format: date-time
                 * @description Time when the oldest of these rows was created.
                 */
                back_to: string;
            } | null;
            /** @description Number of jobs that matched, but no longer when they were locked. */
            skipped: number;
            /** @description Ids of the changed jobs. In a dry run: up to 10 of the matching jobs. */
            job_ids: string[];
            /** @description For a reschedule that ran at once: the previous start of each job, to send to POST /jobs/undo-reschedule. Otherwise empty. */
            previous: components["schemas"]["PreviousStart"][];
            /** @description For a cancel that ran at once: the previous state of each job that waited, to send to POST /jobs/undo-cancel. Otherwise empty. */
            cancelled: components["schemas"]["CancelledJob"][];
            /** @description For a requeue that ran at once: the requeued jobs, to send to POST /jobs/undo-requeue. Otherwise empty. */
            requeued: components["schemas"]["RequeuedJob"][];
            /** @description Whether this was a dry run. */
            dry_run: boolean;
            /** @description The operation that workers run. Null if the action ran at once. */
            operation: {
                /**
                 * Format: uuid
                 * @description Id of the operation. A UUIDv7, so ids sort by creation time.
                 */
                id: string;
                /**
                 * @description The action on each job.
                 * @enum {string}
                 */
                act: "cancel" | "requeue" | "reschedule" | "delete" | "purge" | "erase" | "requeue_dead_letters";
                /** @description Filter of the jobs. */
                filter: unknown;
                /**
                 * Format: date-time
                 * @description New earliest start, for a reschedule. Otherwise null.
                 */
                run_at: string | null;
                /** @description Maximum number of jobs a second. Null if it is not limited. */
                rate: number | null;
                /**
                 * @description State of the operation. `refused`: its creator no longer has the permission. `failed`: the database refused a change. Both have a reason.
                 * @enum {string}
                 */
                state: "running" | "succeeded" | "cancelled" | "refused" | "failed";
                /** @description Number of matching jobs when the operation was created. */
                expected: number;
                /** @description Whether expected is a lower bound, because counting stopped. */
                expected_is_least: boolean;
                /** @description Number of jobs changed so far. */
                changed: number;
                /** @description Number of jobs that matched at first, but no longer when the operation reached them. */
                skipped: number;
                /** @description Why the operation was refused or failed. Otherwise null. */
                reason: string | null;
                /** @description Id of the API key or name of the role that created the operation. */
                actor: string | null;
                /** @description Name of the API key. */
                actor_name: string | null;
                /**
                 * Format: date-time
                 * @description Time when the operation was created.
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @description Time when the operation ended. Null while it runs.
                 */
                finished_at: string | null;
            } | null;
        };
        /** @description An active alert condition. */
        Attention: {
            /**
             * @description The alert condition.
             * @enum {string}
             */
            condition: "queue_unserved" | "schedules_late" | "schedules_stopped" | "database_read_only" | "queue_backlog_old" | "kind_unserved" | "queue_paused_for_long" | "jobs_failing" | "dead_letters" | "workers_lost" | "old_snapshot" | "dead_letters_kept";
            /**
             * @description Severity of the alert.
             * @enum {string}
             */
            severity: "critical" | "warning" | "info";
            /** @description The affected queue. Null if the condition is not about a queue. */
            queue: string | null;
            /** @description The affected kind. Null if the condition is not about a kind. */
            kind: string | null;
            /** @description Number of affected jobs, attempts, dead letters, workers or schedules. */
            count: number;
            /** @description Whether counting stopped at 1000. */
            count_is_capped: boolean;
            /**
             * Format: date-time
             * @description Start of the condition. Null if unknown.
             */
            since: string | null;
            /** @description How to fix it. */
            ends: string;
            /** @description Name of the runbook in docs/runbooks. */
            runbook: string;
        };
        /** @description The active alert conditions. */
        AttentionList: {
            /** @description The active conditions, most severe first. */
            data: components["schemas"]["Attention"][];
        };
        /** @description One action in the audit log. */
        AuditEntry: {
            /**
             * Format: uuid
             * @description Id of the entry.
             */
            id: string;
            /**
             * Format: date-time
             * @description Time of the action, by the clock of the database.
             */
            at: string;
            /**
             * @description The action.
             * @enum {string}
             */
            act: "job.cancel" | "job.requeue" | "job.undo_requeue" | "job.reschedule" | "job.run_now" | "job.duplicate" | "job.edit" | "job.delete" | "job.erase" | "operation.cancel" | "dead_letter.requeue" | "dead_letter.delete" | "queue.pause" | "queue.resume" | "queue.purge" | "limit.set" | "limit.delete" | "schedule.create" | "schedule.update" | "schedule.delete" | "schedule.pause" | "schedule.resume" | "schedule.run_now" | "schedule.sync" | "kind.register" | "kind.retire" | "key.create" | "key.rotate" | "key.revoke";
            /**
             * @description `key`: an API key. `subject`: the subject of an OpenID Connect token. `token`: the holder of API_TOKEN. `anyone`: a caller of an API without authentication. `role`: a database role, at the command line.
             * @enum {string}
             */
            actor_type: "key" | "subject" | "token" | "anyone" | "role";
            /** @description Id of the key, the subject or the name of the database role. Otherwise, the same as actor_type. */
            actor: string;
            /** @description Name of the key or the subject at that time. */
            actor_name: string | null;
            /** @description Database role that wrote the entry. */
            database_role: string;
            /** @description Tenant in the scope of the actor. Null if it had none. */
            tenant_id: string | null;
            /** @description Remote address of the connection: the client, or the last proxy before the API. */
            address: string | null;
            /** @description X-Request-Id of the request. */
            request_id: string | null;
            /** @description Number of jobs, dead letters, queues, keys or other objects that were changed. */
            count: number;
            /** @description The queue, dead letter, key or other object that the request named. */
            target: string | null;
            /** @description Filter of a bulk action. Null if the request named its targets. */
            filter: unknown;
            /** @description Ids of the jobs that were changed. */
            job_ids: string[];
        };
        /** @description A page of audit log entries. */
        AuditList: {
            /** @description The entries, newest first. */
            data: components["schemas"]["AuditEntry"][];
            /** @description Cursor of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description A filter of jobs, and how to run the action. */
        CancelJobs: {
            filter: components["schemas"]["JobFilter"];
            /**
             * @description Must be true to act on everything that the caller can see. Without it, a filter without a condition is refused, except in a dry run.
             * @default false
             */
            all?: boolean;
            /**
             * @description Whether to only count the matching jobs (up to 100000) and name a few. Nothing is changed.
             * @default false
             */
            dry_run?: boolean;
            /** @description Maximum number of jobs a second. With a rate, the action always becomes an operation. */
            rate?: number;
        };
        /** @description The previous state of a cancelled job. */
        CancelledJob: {
            /**
             * Format: uuid
             * @description Id of the job.
             */
            id: string;
            /**
             * @description Previous status. A job that has used attempts is restored as retrying.
             * @enum {string}
             */
            status: "queued" | "retrying";
            /**
             * Format: date-time
             * @description `updated_at` of the job after the cancel. A job that was changed later is not restored.
             */
            changed_at: string;
        };
        /** @description The target of a limit, and the members to change. */
        ChangeLimit: {
            /** @description Queue of the limit. */
            queue: string;
            /**
             * @description What the limit applies to. `queue`: the whole queue. `kind`: one kind in it. `key`: one key in it. `each_key`: each key without a limit of its own. `tenant`: one tenant in it.
             * @enum {string}
             */
            scope: "queue" | "kind" | "key" | "each_key" | "tenant";
            /** @description Name of the kind, key or tenant. Absent for the scopes `queue` and `each_key`. */
            name?: string;
            /** @description Maximum number of running jobs. */
            max_running?: number | null;
            /** @description Maximum number of waiting jobs. Beyond it, enqueues fail with queue_full. Counted every second. Only for the scopes `queue` and `tenant`. */
            max_waiting?: number | null;
            rate?: components["schemas"]["LimitRate"];
            /** @description Whether starts are paused. Not for the scope `each_key`. */
            paused?: boolean;
            /** @description Starts the jobs of each key one after the other, by priority, run_at and id. Only for the scope `each_key`. */
            ordered?: {
                /**
                 * @description What the jobs behind a job that is retried do. `block` (default): they wait until it has ended. `continue`: they start.
                 * @enum {string}
                 */
                on_retry?: "block" | "continue";
            } | null;
            /**
             * @description Lets tenants or keys take turns within a priority, however many jobs each has waiting. Only for the scope `queue`.
             * @enum {string|null}
             */
            fair_by?: "tenant" | "key" | null;
            /** @description Number of turns for each turn of the others. Null means 1. Only for the scopes `tenant` and `key`. */
            weight?: number | null;
        };
        /** @description The checks of the readiness probe. */
        Checks: {
            /**
             * @description Whether the process is shutting down.
             * @enum {string}
             */
            process: "running" | "stopping";
            /**
             * @description Whether the database answers.
             * @enum {string}
             */
            database: "up" | "down";
            /**
             * @description Whether the version of the database schema fits this release.
             * @enum {string}
             */
            schema: "compatible" | "missing" | "older" | "newer" | "different" | "unknown";
            /**
             * @description Whether the database accepts writes.
             * @enum {string}
             */
            writes: "accepted" | "refused" | "unknown";
        };
        /** @description Numbers of jobs and attempts. */
        Counts: {
            /** @description Number of created jobs. A job is counted when a worker first claims it or when it is cancelled. */
            enqueued: number;
            /** @description Number of started attempts. */
            started: number;
            /** @description Number of jobs that succeeded. */
            succeeded: number;
            /** @description Number of jobs that failed permanently. */
            failed: number;
            /** @description Number of attempts that failed or lost their worker and are retried. */
            retried: number;
            /** @description Number of cancelled jobs. */
            cancelled: number;
            /** @description How long jobs were due before an attempt started. Null if none started. */
            wait_ms: {
                /** @description Median in milliseconds. */
                p50: number;
                /** @description 95th percentile in milliseconds. */
                p95: number;
                /** @description 99th percentile in milliseconds. */
                p99: number;
            } | null;
            /** @description How long the ended attempts ran. Null if none ended. */
            run_ms: {
                /** @description Median in milliseconds. */
                p50: number;
                /** @description 95th percentile in milliseconds. */
                p95: number;
                /** @description 99th percentile in milliseconds. */
                p99: number;
            } | null;
        };
        /** @description A job to enqueue, with one schema for each kind. */
        CreateJob: components["schemas"]["CreateSendEmailJob"] | components["schemas"]["CreateResizeImageJob"] | components["schemas"]["CreateSummarizeTextJob"] | components["schemas"]["CreateWebhookDeliveryJob"];
        /** @description A batch of jobs to enqueue. */
        CreateJobs: {
            /** @description 1 to 1000 jobs. */
            jobs: components["schemas"]["CreateJob"][];
        };
        /** @description A job to enqueue, with the kind `resize_image`. */
        CreateResizeImageJob: {
            /**
             * @description The kind `resize_image`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "resize_image";
            payload: components["schemas"]["ResizeImagePayload"];
            /** @description Version of the kind. Defaults to the newest version whose schema accepts the payload. */
            version?: number;
            /** @description Queue of the job. Defaults to the queue of the kind. */
            queue?: string;
            /** @description Priority from 0 to 9. Lower numbers start first. Defaults to the priority of the kind, or to 4. */
            priority?: number;
            /**
             * Format: date-time
             * @description Earliest start. A time in the past counts as now. Cannot be combined with delay_ms.
             */
            run_at?: string;
            /** @description Delay until the earliest start, in milliseconds. Cannot be combined with run_at. */
            delay_ms?: number;
            /** @description Maximum number of attempts, from 1 to 100. Defaults to that of the kind, or to 3. */
            max_attempts?: number;
            /** @description Timeout of one attempt in milliseconds. Defaults to that of the kind or of the worker. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Makes the request safe to repeat: a key creates at most one job per tenant. The header Idempotency-Key takes precedence. The key is never hidden. */
            idempotency_key?: string;
            /** @description Metadata to find the job by, with up to 20 members and 4096 bytes. It is never masked, so do not put secrets into it. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /**
             * Format: date-time
             * @description Expiry: the job is cancelled if it has not started by this time. Must be after the earliest start. Cannot be combined with expires_in_ms.
             */
            expires_at?: string;
            /** @description Expiry, in milliseconds from now. Cannot be combined with expires_at. */
            expires_in_ms?: number;
            /** @description Makes the job the only one of its kind and tenant with a unique key. */
            unique?: {
                /** @description The unique key. One job of the kind and tenant holds it at a time. It is never hidden. */
                key: string;
                /**
                 * @description How long the job holds the key. `waiting`: until its first claim. `live`: until it has ended. `window`: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description How long the key is held, in milliseconds from the enqueue. Required with the scope `window`, and not allowed otherwise. */
                window_ms?: number;
                /** @description With `reschedule`: the latest start, in milliseconds from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description What happens if another job holds the key. `return` (default): the response contains that job. `refuse`: the request fails with 409. `replace`: that job gets this payload and these options. `reschedule`: that job gets this start. The last two need the scope `waiting`.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Tenant of the job. Idempotency keys are unique within a tenant. */
            tenant_id?: string;
            /** @description Key of the job, such as a customer id. Limits can apply to all jobs with the same key. Defaults to the value at the key pointer of the kind in the payload. It is never hidden. */
            key?: string;
            /** @description Tokens that a start of the job takes from each rate limit that applies, up to the burst of that limit. Defaults to the weight of the kind, or to 1. */
            weight?: number;
        };
        /** @description A schedule to create, with the kind `resize_image`. */
        CreateResizeImageSchedule: {
            /** @description Name of the schedule. */
            name: string;
            /**
             * @description The kind `resize_image`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "resize_image";
            payload: components["schemas"]["ResizeImagePayload"];
            /** @description Version of the kind. Defaults to the newest version whose schema accepts the payload. */
            version?: number;
            /** @description Queue of the jobs. Defaults to the queue of the kind. */
            queue?: string;
            /** @description Priority of the jobs, from 0 to 9. Lower numbers start first. Defaults to the priority of the kind. */
            priority?: number;
            /** @description Maximum number of attempts of each job. Defaults to that of the kind. */
            max_attempts?: number;
            /** @description Timeout of one attempt in milliseconds. Defaults to that of the kind or of the worker. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Metadata to find the job by, with up to 20 members and 4096 bytes. It is never masked, so do not put secrets into it. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description Expiry of each job, in milliseconds from its enqueue: a job that has not started by then is cancelled. */
            expires_in_ms?: number;
            /** @description Makes each job the only one of its kind and tenant with a unique key. */
            unique?: {
                /** @description The unique key. One job of the kind and tenant holds it at a time. It is never hidden. */
                key: string;
                /**
                 * @description How long the job holds the key. `waiting`: until its first claim. `live`: until it has ended. `window`: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description How long the key is held, in milliseconds from the enqueue. Required with the scope `window`, and not allowed otherwise. */
                window_ms?: number;
                /** @description With `reschedule`: the latest start, in milliseconds from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description What happens if another job holds the key. `return` (default): the response contains that job. `refuse`: the request fails with 409. `replace`: that job gets this payload and these options. `reschedule`: that job gets this start. The last two need the scope `waiting`.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Key of the jobs, by which limits can apply. Defaults to the value at the key pointer of the kind in the payload. */
            key?: string;
            /** @description Tokens that a start of a job takes from each rate limit. Defaults to the weight of the kind. */
            weight?: number;
            /** @description Cron expression with five fields (minute, hour, day of month, month, day of week), or with seconds as the first of six. Cannot be combined with every_ms. */
            cron?: string | null;
            /** @description IANA time zone of the cron expression, such as Europe/Berlin. Defaults to UTC. */
            time_zone?: string;
            /** @description Interval between two runs in milliseconds, counted from starts_at, or from 1970 if that is absent. Cannot be combined with cron. */
            every_ms?: number | null;
            /**
             * Format: date-time
             * @description No run before this time.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description No run at or after this time.
             */
            ends_at?: string | null;
            /** @description Maximum delay of each run in milliseconds. The delay of a run time is always the same. Defaults to 0. */
            jitter_ms?: number;
            /**
             * @description What happens to missed runs. `skip`: none is made up for. `once` (default): one run makes up for all. `all`: each is made up for.
             * @enum {string}
             */
            missed?: "skip" | "once" | "all";
            /** @description Maximum lateness of a run in milliseconds. Defaults to 60 000 with `skip`, to a day with `all`, and to no maximum with `once`. */
            missed_window_ms?: number | null;
            /**
             * @description Whether a run can start while the job of the previous run has not ended. `allow` (default): yes. `skip`: the run is skipped.
             * @enum {string}
             */
            overlap?: "allow" | "skip";
        };
        /** @description A schedule to create, with one schema for each kind. */
        CreateSchedule: components["schemas"]["CreateSendEmailSchedule"] | components["schemas"]["CreateResizeImageSchedule"] | components["schemas"]["CreateSummarizeTextSchedule"] | components["schemas"]["CreateWebhookDeliverySchedule"];
        /** @description A job to enqueue, with the kind `send_email`. */
        CreateSendEmailJob: {
            /**
             * @description The kind `send_email`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "send_email";
            payload: components["schemas"]["SendEmailPayload"];
            /** @description Version of the kind. Defaults to the newest version whose schema accepts the payload. */
            version?: number;
            /** @description Queue of the job. Defaults to the queue of the kind. */
            queue?: string;
            /** @description Priority from 0 to 9. Lower numbers start first. Defaults to the priority of the kind, or to 4. */
            priority?: number;
            /**
             * Format: date-time
             * @description Earliest start. A time in the past counts as now. Cannot be combined with delay_ms.
             */
            run_at?: string;
            /** @description Delay until the earliest start, in milliseconds. Cannot be combined with run_at. */
            delay_ms?: number;
            /** @description Maximum number of attempts, from 1 to 100. Defaults to that of the kind, or to 3. */
            max_attempts?: number;
            /** @description Timeout of one attempt in milliseconds. Defaults to that of the kind or of the worker. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Makes the request safe to repeat: a key creates at most one job per tenant. The header Idempotency-Key takes precedence. The key is never hidden. */
            idempotency_key?: string;
            /** @description Metadata to find the job by, with up to 20 members and 4096 bytes. It is never masked, so do not put secrets into it. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /**
             * Format: date-time
             * @description Expiry: the job is cancelled if it has not started by this time. Must be after the earliest start. Cannot be combined with expires_in_ms.
             */
            expires_at?: string;
            /** @description Expiry, in milliseconds from now. Cannot be combined with expires_at. */
            expires_in_ms?: number;
            /** @description Makes the job the only one of its kind and tenant with a unique key. */
            unique?: {
                /** @description The unique key. One job of the kind and tenant holds it at a time. It is never hidden. */
                key: string;
                /**
                 * @description How long the job holds the key. `waiting`: until its first claim. `live`: until it has ended. `window`: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description How long the key is held, in milliseconds from the enqueue. Required with the scope `window`, and not allowed otherwise. */
                window_ms?: number;
                /** @description With `reschedule`: the latest start, in milliseconds from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description What happens if another job holds the key. `return` (default): the response contains that job. `refuse`: the request fails with 409. `replace`: that job gets this payload and these options. `reschedule`: that job gets this start. The last two need the scope `waiting`.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Tenant of the job. Idempotency keys are unique within a tenant. */
            tenant_id?: string;
            /** @description Key of the job, such as a customer id. Limits can apply to all jobs with the same key. Defaults to the value at the key pointer of the kind in the payload. It is never hidden. */
            key?: string;
            /** @description Tokens that a start of the job takes from each rate limit that applies, up to the burst of that limit. Defaults to the weight of the kind, or to 1. */
            weight?: number;
        };
        /** @description A schedule to create, with the kind `send_email`. */
        CreateSendEmailSchedule: {
            /** @description Name of the schedule. */
            name: string;
            /**
             * @description The kind `send_email`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "send_email";
            payload: components["schemas"]["SendEmailPayload"];
            /** @description Version of the kind. Defaults to the newest version whose schema accepts the payload. */
            version?: number;
            /** @description Queue of the jobs. Defaults to the queue of the kind. */
            queue?: string;
            /** @description Priority of the jobs, from 0 to 9. Lower numbers start first. Defaults to the priority of the kind. */
            priority?: number;
            /** @description Maximum number of attempts of each job. Defaults to that of the kind. */
            max_attempts?: number;
            /** @description Timeout of one attempt in milliseconds. Defaults to that of the kind or of the worker. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Metadata to find the job by, with up to 20 members and 4096 bytes. It is never masked, so do not put secrets into it. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description Expiry of each job, in milliseconds from its enqueue: a job that has not started by then is cancelled. */
            expires_in_ms?: number;
            /** @description Makes each job the only one of its kind and tenant with a unique key. */
            unique?: {
                /** @description The unique key. One job of the kind and tenant holds it at a time. It is never hidden. */
                key: string;
                /**
                 * @description How long the job holds the key. `waiting`: until its first claim. `live`: until it has ended. `window`: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description How long the key is held, in milliseconds from the enqueue. Required with the scope `window`, and not allowed otherwise. */
                window_ms?: number;
                /** @description With `reschedule`: the latest start, in milliseconds from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description What happens if another job holds the key. `return` (default): the response contains that job. `refuse`: the request fails with 409. `replace`: that job gets this payload and these options. `reschedule`: that job gets this start. The last two need the scope `waiting`.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Key of the jobs, by which limits can apply. Defaults to the value at the key pointer of the kind in the payload. */
            key?: string;
            /** @description Tokens that a start of a job takes from each rate limit. Defaults to the weight of the kind. */
            weight?: number;
            /** @description Cron expression with five fields (minute, hour, day of month, month, day of week), or with seconds as the first of six. Cannot be combined with every_ms. */
            cron?: string | null;
            /** @description IANA time zone of the cron expression, such as Europe/Berlin. Defaults to UTC. */
            time_zone?: string;
            /** @description Interval between two runs in milliseconds, counted from starts_at, or from 1970 if that is absent. Cannot be combined with cron. */
            every_ms?: number | null;
            /**
             * Format: date-time
             * @description No run before this time.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description No run at or after this time.
             */
            ends_at?: string | null;
            /** @description Maximum delay of each run in milliseconds. The delay of a run time is always the same. Defaults to 0. */
            jitter_ms?: number;
            /**
             * @description What happens to missed runs. `skip`: none is made up for. `once` (default): one run makes up for all. `all`: each is made up for.
             * @enum {string}
             */
            missed?: "skip" | "once" | "all";
            /** @description Maximum lateness of a run in milliseconds. Defaults to 60 000 with `skip`, to a day with `all`, and to no maximum with `once`. */
            missed_window_ms?: number | null;
            /**
             * @description Whether a run can start while the job of the previous run has not ended. `allow` (default): yes. `skip`: the run is skipped.
             * @enum {string}
             */
            overlap?: "allow" | "skip";
        };
        /** @description A job to enqueue, with the kind `summarize_text`. */
        CreateSummarizeTextJob: {
            /**
             * @description The kind `summarize_text`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "summarize_text";
            payload: components["schemas"]["SummarizeTextPayload"];
            /** @description Version of the kind. Defaults to the newest version whose schema accepts the payload. */
            version?: number;
            /** @description Queue of the job. Defaults to the queue of the kind. */
            queue?: string;
            /** @description Priority from 0 to 9. Lower numbers start first. Defaults to the priority of the kind, or to 4. */
            priority?: number;
            /**
             * Format: date-time
             * @description Earliest start. A time in the past counts as now. Cannot be combined with delay_ms.
             */
            run_at?: string;
            /** @description Delay until the earliest start, in milliseconds. Cannot be combined with run_at. */
            delay_ms?: number;
            /** @description Maximum number of attempts, from 1 to 100. Defaults to that of the kind, or to 3. */
            max_attempts?: number;
            /** @description Timeout of one attempt in milliseconds. Defaults to that of the kind or of the worker. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Makes the request safe to repeat: a key creates at most one job per tenant. The header Idempotency-Key takes precedence. The key is never hidden. */
            idempotency_key?: string;
            /** @description Metadata to find the job by, with up to 20 members and 4096 bytes. It is never masked, so do not put secrets into it. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /**
             * Format: date-time
             * @description Expiry: the job is cancelled if it has not started by this time. Must be after the earliest start. Cannot be combined with expires_in_ms.
             */
            expires_at?: string;
            /** @description Expiry, in milliseconds from now. Cannot be combined with expires_at. */
            expires_in_ms?: number;
            /** @description Makes the job the only one of its kind and tenant with a unique key. */
            unique?: {
                /** @description The unique key. One job of the kind and tenant holds it at a time. It is never hidden. */
                key: string;
                /**
                 * @description How long the job holds the key. `waiting`: until its first claim. `live`: until it has ended. `window`: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description How long the key is held, in milliseconds from the enqueue. Required with the scope `window`, and not allowed otherwise. */
                window_ms?: number;
                /** @description With `reschedule`: the latest start, in milliseconds from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description What happens if another job holds the key. `return` (default): the response contains that job. `refuse`: the request fails with 409. `replace`: that job gets this payload and these options. `reschedule`: that job gets this start. The last two need the scope `waiting`.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Tenant of the job. Idempotency keys are unique within a tenant. */
            tenant_id?: string;
            /** @description Key of the job, such as a customer id. Limits can apply to all jobs with the same key. Defaults to the value at the key pointer of the kind in the payload. It is never hidden. */
            key?: string;
            /** @description Tokens that a start of the job takes from each rate limit that applies, up to the burst of that limit. Defaults to the weight of the kind, or to 1. */
            weight?: number;
        };
        /** @description A schedule to create, with the kind `summarize_text`. */
        CreateSummarizeTextSchedule: {
            /** @description Name of the schedule. */
            name: string;
            /**
             * @description The kind `summarize_text`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "summarize_text";
            payload: components["schemas"]["SummarizeTextPayload"];
            /** @description Version of the kind. Defaults to the newest version whose schema accepts the payload. */
            version?: number;
            /** @description Queue of the jobs. Defaults to the queue of the kind. */
            queue?: string;
            /** @description Priority of the jobs, from 0 to 9. Lower numbers start first. Defaults to the priority of the kind. */
            priority?: number;
            /** @description Maximum number of attempts of each job. Defaults to that of the kind. */
            max_attempts?: number;
            /** @description Timeout of one attempt in milliseconds. Defaults to that of the kind or of the worker. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Metadata to find the job by, with up to 20 members and 4096 bytes. It is never masked, so do not put secrets into it. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description Expiry of each job, in milliseconds from its enqueue: a job that has not started by then is cancelled. */
            expires_in_ms?: number;
            /** @description Makes each job the only one of its kind and tenant with a unique key. */
            unique?: {
                /** @description The unique key. One job of the kind and tenant holds it at a time. It is never hidden. */
                key: string;
                /**
                 * @description How long the job holds the key. `waiting`: until its first claim. `live`: until it has ended. `window`: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description How long the key is held, in milliseconds from the enqueue. Required with the scope `window`, and not allowed otherwise. */
                window_ms?: number;
                /** @description With `reschedule`: the latest start, in milliseconds from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description What happens if another job holds the key. `return` (default): the response contains that job. `refuse`: the request fails with 409. `replace`: that job gets this payload and these options. `reschedule`: that job gets this start. The last two need the scope `waiting`.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Key of the jobs, by which limits can apply. Defaults to the value at the key pointer of the kind in the payload. */
            key?: string;
            /** @description Tokens that a start of a job takes from each rate limit. Defaults to the weight of the kind. */
            weight?: number;
            /** @description Cron expression with five fields (minute, hour, day of month, month, day of week), or with seconds as the first of six. Cannot be combined with every_ms. */
            cron?: string | null;
            /** @description IANA time zone of the cron expression, such as Europe/Berlin. Defaults to UTC. */
            time_zone?: string;
            /** @description Interval between two runs in milliseconds, counted from starts_at, or from 1970 if that is absent. Cannot be combined with cron. */
            every_ms?: number | null;
            /**
             * Format: date-time
             * @description No run before this time.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description No run at or after this time.
             */
            ends_at?: string | null;
            /** @description Maximum delay of each run in milliseconds. The delay of a run time is always the same. Defaults to 0. */
            jitter_ms?: number;
            /**
             * @description What happens to missed runs. `skip`: none is made up for. `once` (default): one run makes up for all. `all`: each is made up for.
             * @enum {string}
             */
            missed?: "skip" | "once" | "all";
            /** @description Maximum lateness of a run in milliseconds. Defaults to 60 000 with `skip`, to a day with `all`, and to no maximum with `once`. */
            missed_window_ms?: number | null;
            /**
             * @description Whether a run can start while the job of the previous run has not ended. `allow` (default): yes. `skip`: the run is skipped.
             * @enum {string}
             */
            overlap?: "allow" | "skip";
        };
        /** @description A job to enqueue, with the kind `webhook_delivery`. */
        CreateWebhookDeliveryJob: {
            /**
             * @description The kind `webhook_delivery`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "webhook_delivery";
            payload: components["schemas"]["WebhookDeliveryPayload"];
            /** @description Version of the kind. Defaults to the newest version whose schema accepts the payload. */
            version?: number;
            /** @description Queue of the job. Defaults to the queue of the kind. */
            queue?: string;
            /** @description Priority from 0 to 9. Lower numbers start first. Defaults to the priority of the kind, or to 4. */
            priority?: number;
            /**
             * Format: date-time
             * @description Earliest start. A time in the past counts as now. Cannot be combined with delay_ms.
             */
            run_at?: string;
            /** @description Delay until the earliest start, in milliseconds. Cannot be combined with run_at. */
            delay_ms?: number;
            /** @description Maximum number of attempts, from 1 to 100. Defaults to that of the kind, or to 3. */
            max_attempts?: number;
            /** @description Timeout of one attempt in milliseconds. Defaults to that of the kind or of the worker. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Makes the request safe to repeat: a key creates at most one job per tenant. The header Idempotency-Key takes precedence. The key is never hidden. */
            idempotency_key?: string;
            /** @description Metadata to find the job by, with up to 20 members and 4096 bytes. It is never masked, so do not put secrets into it. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /**
             * Format: date-time
             * @description Expiry: the job is cancelled if it has not started by this time. Must be after the earliest start. Cannot be combined with expires_in_ms.
             */
            expires_at?: string;
            /** @description Expiry, in milliseconds from now. Cannot be combined with expires_at. */
            expires_in_ms?: number;
            /** @description Makes the job the only one of its kind and tenant with a unique key. */
            unique?: {
                /** @description The unique key. One job of the kind and tenant holds it at a time. It is never hidden. */
                key: string;
                /**
                 * @description How long the job holds the key. `waiting`: until its first claim. `live`: until it has ended. `window`: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description How long the key is held, in milliseconds from the enqueue. Required with the scope `window`, and not allowed otherwise. */
                window_ms?: number;
                /** @description With `reschedule`: the latest start, in milliseconds from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description What happens if another job holds the key. `return` (default): the response contains that job. `refuse`: the request fails with 409. `replace`: that job gets this payload and these options. `reschedule`: that job gets this start. The last two need the scope `waiting`.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Tenant of the job. Idempotency keys are unique within a tenant. */
            tenant_id?: string;
            /** @description Key of the job, such as a customer id. Limits can apply to all jobs with the same key. Defaults to the value at the key pointer of the kind in the payload. It is never hidden. */
            key?: string;
            /** @description Tokens that a start of the job takes from each rate limit that applies, up to the burst of that limit. Defaults to the weight of the kind, or to 1. */
            weight?: number;
        };
        /** @description A schedule to create, with the kind `webhook_delivery`. */
        CreateWebhookDeliverySchedule: {
            /** @description Name of the schedule. */
            name: string;
            /**
             * @description The kind `webhook_delivery`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "webhook_delivery";
            payload: components["schemas"]["WebhookDeliveryPayload"];
            /** @description Version of the kind. Defaults to the newest version whose schema accepts the payload. */
            version?: number;
            /** @description Queue of the jobs. Defaults to the queue of the kind. */
            queue?: string;
            /** @description Priority of the jobs, from 0 to 9. Lower numbers start first. Defaults to the priority of the kind. */
            priority?: number;
            /** @description Maximum number of attempts of each job. Defaults to that of the kind. */
            max_attempts?: number;
            /** @description Timeout of one attempt in milliseconds. Defaults to that of the kind or of the worker. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Metadata to find the job by, with up to 20 members and 4096 bytes. It is never masked, so do not put secrets into it. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description Expiry of each job, in milliseconds from its enqueue: a job that has not started by then is cancelled. */
            expires_in_ms?: number;
            /** @description Makes each job the only one of its kind and tenant with a unique key. */
            unique?: {
                /** @description The unique key. One job of the kind and tenant holds it at a time. It is never hidden. */
                key: string;
                /**
                 * @description How long the job holds the key. `waiting`: until its first claim. `live`: until it has ended. `window`: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description How long the key is held, in milliseconds from the enqueue. Required with the scope `window`, and not allowed otherwise. */
                window_ms?: number;
                /** @description With `reschedule`: the latest start, in milliseconds from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description What happens if another job holds the key. `return` (default): the response contains that job. `refuse`: the request fails with 409. `replace`: that job gets this payload and these options. `reschedule`: that job gets this start. The last two need the scope `waiting`.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Key of the jobs, by which limits can apply. Defaults to the value at the key pointer of the kind in the payload. */
            key?: string;
            /** @description Tokens that a start of a job takes from each rate limit. Defaults to the weight of the kind. */
            weight?: number;
            /** @description Cron expression with five fields (minute, hour, day of month, month, day of week), or with seconds as the first of six. Cannot be combined with every_ms. */
            cron?: string | null;
            /** @description IANA time zone of the cron expression, such as Europe/Berlin. Defaults to UTC. */
            time_zone?: string;
            /** @description Interval between two runs in milliseconds, counted from starts_at, or from 1970 if that is absent. Cannot be combined with cron. */
            every_ms?: number | null;
            /**
             * Format: date-time
             * @description No run before this time.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description No run at or after this time.
             */
            ends_at?: string | null;
            /** @description Maximum delay of each run in milliseconds. The delay of a run time is always the same. Defaults to 0. */
            jitter_ms?: number;
            /**
             * @description What happens to missed runs. `skip`: none is made up for. `once` (default): one run makes up for all. `all`: each is made up for.
             * @enum {string}
             */
            missed?: "skip" | "once" | "all";
            /** @description Maximum lateness of a run in milliseconds. Defaults to 60 000 with `skip`, to a day with `all`, and to no maximum with `once`. */
            missed_window_ms?: number | null;
            /**
             * @description Whether a run can start while the job of the previous run has not ended. `allow` (default): yes. `skip`: the run is skipped.
             * @enum {string}
             */
            overlap?: "allow" | "skip";
        };
        /** @description The result of a batch. */
        CreatedJobs: {
            /** @description The jobs, in the order of the request. */
            data: components["schemas"]["Job"][];
            /** @description Zero-based positions of the jobs whose idempotency key already existed. For these, `data` has the existing job, and nothing was written. */
            replayed: number[];
            /** @description The jobs whose unique key another job already holds. */
            conflicts: {
                /** @description Zero-based position of the job in the request. */
                index: number;
                /**
                 * @description What happened to the job that holds the unique key.
                 * @enum {string}
                 */
                outcome: "returned" | "replaced" | "rescheduled";
            }[];
        };
        /** @description The copy of a job that has failed permanently, with the history of its attempts. */
        DeadLetter: {
            /**
             * Format: uuid
             * @description Id of the dead letter. It differs from the id of its job.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the job that failed.
             */
            job_id: string;
            /** @description Queue of the job. */
            queue: string;
            /** @description Kind of the job. */
            kind: string;
            /** @description Kind version of the payload. */
            kind_version: number;
            /** @description Tenant of the job. Null if it has none. */
            tenant_id: string | null;
            /** @description Key of the job. Null if it has none. It is never hidden. */
            key: string | null;
            /** @description Tokens that a start of the job takes from each rate limit. */
            weight: number;
            /** @description Payload of the job. Callers without payload:read see `***` in place of its sensitive values, or of the whole payload. */
            payload: unknown;
            /** @description Metadata to find the job by, with up to 20 members and 4096 bytes. It is never masked, so do not put secrets into it. */
            metadata: {
                [key: string]: string | number | boolean;
            } | null;
            /** @description Priority of the job. Lower numbers start first. */
            priority: number;
            /** @description Number of attempts of the job. */
            attempts: number;
            /** @description Maximum number of attempts. */
            max_attempts: number;
            /** @description Number of attempts whose worker was lost. */
            crashes: number;
            /** @description Error of the last attempt. */
            last_error: string | null;
            /** @description Idempotency key of the job. Null if it has none. */
            idempotency_key: string | null;
            /** @description JSON pointers to the parts of the payload that were sensitive when it was written. Null means all of it. */
            sensitive: string[] | null;
            /** @description The ended attempts, oldest first, including the last one. */
            execution_history: components["schemas"]["Execution"][];
            /**
             * Format: date-time
             * @description Time when the job was enqueued.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time when the job was dead-lettered.
             */
            dead_lettered_at: string;
            /** @description Fingerprint of the last failure. Null if the worker was lost. */
            fingerprint: string | null;
        };
        /** @description A page of dead letters. */
        DeadLetterList: {
            /** @description The dead letters, newest first. */
            data: components["schemas"]["DeadLetter"][];
            /** @description Cursor of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description A filter of jobs, and how to run the action. */
        DeleteJobs: {
            filter: components["schemas"]["JobFilter"];
            /**
             * @description Must be true to act on everything that the caller can see. Without it, a filter without a condition is refused, except in a dry run.
             * @default false
             */
            all?: boolean;
            /**
             * @description Whether to only count the matching jobs (up to 100000) and name a few. Nothing is changed.
             * @default false
             */
            dry_run?: boolean;
            /** @description Maximum number of jobs a second. With a rate, the action always becomes an operation. */
            rate?: number;
        };
        /** @description The result of the doctor checks of the schema, the server and the queue. */
        Diagnosis: {
            /** @description PostgreSQL schema of the queue. */
            schema: string;
            /**
             * @description The most severe status of the findings. `not_permitted` and `skipped` count as `ok`.
             * @enum {string}
             */
            status: "ok" | "warning" | "failure";
            /**
             * Format: date-time
             * @description Time when the checks began, by the clock of the API.
             */
            checked_at: string;
            /** @description The findings: failures first, then warnings. */
            findings: components["schemas"]["Finding"][];
        };
        /** @description The members to change. Absent members keep their values. */
        EditJob: {
            /** @description Priority from 0 to 9. Lower numbers start first. */
            priority?: number;
            /**
             * Format: date-time
             * @description Earliest start. A time in the past counts as now.
             */
            run_at?: string;
            /** @description Maximum number of attempts. Must be greater than the attempts that the job has already had. */
            max_attempts?: number;
            /** @description Timeout of one attempt in milliseconds. Null uses the default of the kind or of the worker. */
            timeout_ms?: number | null;
            /** @description New metadata, which replaces all existing metadata. Null removes it. */
            metadata?: {
                [key: string]: string | number | boolean;
            } | null;
            /** @description Tokens that a start of the job takes from each rate limit. */
            weight?: number;
            /** @description New payload. It is validated by the schema of the kind. */
            payload?: unknown;
            /** @description Kind version of the payload. Defaults to the newest version whose schema accepts it. */
            version?: number;
        };
        /** @description An edited job with its previous values. */
        EditedJob: {
            job: components["schemas"]["Job"];
            /** @description The previous values of the members that were sent. */
            previous: {
                /** @description The previous priority. */
                priority?: number;
                /**
                 * Format: date-time
                 * @description The previous earliest start.
                 */
                run_at?: string;
                /** @description The previous maximum number of attempts. */
                max_attempts?: number;
                /** @description The previous timeout in milliseconds. */
                timeout_ms?: number | null;
                /** @description The previous metadata. */
                metadata?: {
                    [key: string]: string | number | boolean;
                } | null;
                /** @description The previous weight. */
                weight?: number;
                /** @description The previous payload. */
                payload?: unknown;
                /** @description The previous kind version of the payload. */
                kind_version?: number;
            };
        };
        /** @description A filter of jobs, and how to run the action. */
        EraseJobs: {
            filter: components["schemas"]["JobFilter"];
            /**
             * @description Must be true to act on everything that the caller can see. Without it, a filter without a condition is refused, except in a dry run.
             * @default false
             */
            all?: boolean;
            /**
             * @description Whether to only count the matching jobs (up to 100000) and name a few. Nothing is changed.
             * @default false
             */
            dry_run?: boolean;
            /** @description Maximum number of jobs a second. With a rate, the action always becomes an operation. */
            rate?: number;
        };
        /** @description The failures with one fingerprint, in one queue and of one tenant. */
        ErrorGroup: {
            /** @description Fingerprint of the cause. */
            fingerprint: string;
            /** @description Tenant of the jobs. Null for jobs without a tenant. */
            tenant_id: string | null;
            /** @description Queue of the jobs. */
            queue: string;
            /** @description Kind of the jobs. */
            kind: string;
            /** @description Class of the error, and its code if it has one. */
            error_class: string;
            /** @description Number of failed attempts since the group was created. */
            count: number;
            /**
             * Format: date-time
             * @description Time of the first failure.
             */
            first_seen_at: string;
            /**
             * Format: date-time
             * @description Time of the last failure.
             */
            last_seen_at: string;
            /** @description Version of the worker that saw the first failure. Null if it was no longer known. */
            first_version: string | null;
            /** @description Versions of the workers that saw the failure, latest first, up to 10. */
            worker_versions: string[];
            /**
             * Format: uuid
             * @description Id of a job with this failure. Retention may have removed the job. Null if it was erased.
             */
            sample_job_id: string | null;
            /** @description Error of that job, with its stack. The sensitive values of its payload were hidden when it was stored. */
            sample_error: string;
            /** @description Failures in the time range. Null if neither `from` nor `to` was sent. */
            in_range: {
                /** @description Number of failed attempts in the time range. */
                count: number;
                /** @description Number of failed attempts in each point, oldest first. */
                trend: number[];
                /** @description Failure rate: the share of the ended attempts of the kind and queue in the time range that failed with this cause. For a group with a tenant, only the attempts of that tenant count. Null if the statistics do not track the kind separately, or have no numbers yet. */
                share: number | null;
                /** @description With `by=version`: the trend of each worker version, most failures first. Otherwise empty. */
                versions: components["schemas"]["ErrorTrendOfVersion"][];
            } | null;
        };
        /** @description A page of error groups. */
        ErrorList: {
            /** @description The error groups. */
            data: components["schemas"]["ErrorGroup"][];
            /** @description The time range of `in_range`. Null if neither `from` nor `to` was sent. */
            range: {
                /**
                 * Format: date-time
                 * @description Start of the first point of each trend, in whole hours. Not earlier than the hours that are kept.
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description End of the range. All failures of its last hour are counted.
                 */
                to: string;
                /** @description Length of each point of a trend in milliseconds: 1, 2, 3, 4, 6, 12 or 24 hours, so that there are at most 48 points. */
                step_ms: number;
            } | null;
            /** @description Cursor of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description Failures of the workers of one version. */
        ErrorTrendOfVersion: {
            /** @description Worker version. Null for the versions after the 10 with the most failures, and for workers that are no longer known. */
            version: string | null;
            /** @description Number of failed attempts in the time range. */
            count: number;
            /** @description Number of failed attempts in each point, oldest first. */
            trend: number[];
        };
        /** @description An ended attempt of a job. */
        Execution: {
            /**
             * Format: uuid
             * @description Id of the job.
             */
            job_id: string;
            /** @description Number of the attempt. It starts at 1 again after a requeue. */
            attempt: number;
            /** @description Lease token of the attempt. It increases with every claim of the job, also after a requeue. */
            lease_token: number;
            /** @description Id of the worker that ran the attempt. `***` for callers that are bound to a tenant. */
            worker_id: string;
            /**
             * Format: date-time
             * @description Time when the attempt started.
             */
            started_at: string;
            /**
             * Format: date-time
             * @description Time when the attempt ended.
             */
            finished_at: string;
            /**
             * @description How the attempt ended.
             * @enum {string}
             */
            outcome: "succeeded" | "failed" | "lost" | "snoozed" | "released" | "cancelled";
            /** @description Error of the attempt. Null if there was none. */
            error: string | null;
            /** @description Class of the error, and its code if it has one. */
            error_class: string | null;
            /** @description Fingerprint of the failure. GET /errors groups failures by it. */
            fingerprint: string | null;
        };
        /** @description The ended attempts of a job. */
        ExecutionList: {
            /** @description The ended attempts, oldest first. */
            data: components["schemas"]["Execution"][];
        };
        /** @description The estimated start of a waiting job. */
        ExpectedStart: {
            /** @description Number of waiting jobs in the queue that come before this one. Null if unknown. */
            place: number | null;
            /** @description Attempts of the queue that started per minute, in minutes in which jobs had to wait. Null if there were none. */
            starts_per_minute: number | null;
            /**
             * Format: date-time
             * @description Estimated start. Null if there is no estimate.
             */
            expected_at: string | null;
            /**
             * @description Why there is no estimate. `not_waiting`: the job is running or has ended. `out_of_bounds`: jobs outside of the scope of the caller can come before it. `queue_paused`: the queue is paused. `no_worker`: no worker serves the queue. `too_many_before`: more jobs come before it than are counted. `no_rate`: no job of the queue had to wait in the last minutes.
             * @enum {string|null}
             */
            unknown: "not_waiting" | "out_of_bounds" | "queue_paused" | "no_worker" | "too_many_before" | "no_rate" | null;
        };
        /** @description The result of one doctor check. */
        Finding: {
            /** @description Name of the check, as in docs/doctor.md. New releases can add checks. */
            check: string;
            /**
             * @description `ok`: nothing is wrong. `failure`: a guarantee of the queue does not hold, or soon will not. `warning`: somebody should look at it. `not_permitted`: the database role of the API lacks a privilege for the check. `skipped`: nothing to check, or no result in time.
             * @enum {string}
             */
            status: "ok" | "warning" | "failure" | "not_permitted" | "skipped";
            /** @description One sentence for people. The wording can change. */
            message: string;
            /** @description How to fix it. Null if nothing has to be done. */
            cure: string | null;
        };
        /** @description The report of a ready server, with its uptime. */
        Health: {
            /**
             * @description Always `ready`.
             * @enum {string}
             */
            status: "ready";
            checks: components["schemas"]["Checks"];
            /** @description Seconds since the process started. */
            uptime_seconds: number;
        };
        /** @description A job. All times are in UTC, by the clock of the database. */
        Job: {
            /**
             * Format: uuid
             * @description Id of the job. A UUIDv7, so ids sort by creation time.
             */
            id: string;
            /** @description Queue of the job. */
            queue: string;
            /** @description Kind of the job. */
            kind: string;
            /** @description Kind version of the payload. */
            kind_version: number;
            /** @description Tenant of the job. Null if it has none. */
            tenant_id: string | null;
            /** @description Key of the job, by which limits can apply. Null if it has none. It is never hidden. */
            key: string | null;
            /** @description Tokens that a start of the job takes from each rate limit. */
            weight: number;
            /** @description Payload of the job. Callers without payload:read see `***` in place of its sensitive values, or of the whole payload. */
            payload: unknown;
            /** @description Metadata to find the job by, with up to 20 members and 4096 bytes. It is never masked, so do not put secrets into it. */
            metadata: {
                [key: string]: string | number | boolean;
            } | null;
            status: components["schemas"]["JobStatus"];
            /** @description Priority of the job. Lower numbers start first. */
            priority: number;
            /** @description Number of attempts so far, including a running one. */
            attempts: number;
            /** @description Maximum number of attempts. */
            max_attempts: number;
            /** @description Timeout of one attempt in milliseconds. Null uses the default of the kind or of the worker. */
            timeout_ms: number | null;
            retry_policy: components["schemas"]["JobRetryPolicy"];
            /** @description Number of attempts whose worker was lost. */
            crashes: number;
            /** @description Error of the last failed attempt, without sensitive values. It is kept after a success. */
            last_error: string | null;
            /** @description Return value of the handler. Callers without payload:read see `***`, unless nothing of the payload is sensitive or open_results is true. */
            result: unknown;
            /** @description Progress in percent, as last reported by the handler. Null if it has reported none. */
            progress: number | null;
            /** @description Message that the handler last reported with its progress. */
            progress_message: string | null;
            /**
             * Format: date-time
             * @description Earliest start of the next attempt.
             */
            run_at: string;
            /**
             * Format: date-time
             * @description Expiry: the job is cancelled if it has not started by this time. Null if it does not expire, or no longer.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Time when the running attempt was claimed.
             */
            locked_at: string | null;
            /** @description Id of the worker that runs the job now. `***` for callers that are bound to a tenant. */
            locked_by: string | null;
            /** @description Whether cancellation was requested. */
            cancel_requested: boolean;
            /**
             * @description Why the queue itself cancelled the job. Null if a caller cancelled it.
             * @enum {string|null}
             */
            cancel_reason: "expired" | null;
            /** @description Idempotency key of the job. Null if it has none. */
            idempotency_key: string | null;
            /** @description Unique key that the job holds or has held. Null if it has none. It is never hidden. */
            unique_key: string | null;
            /**
             * @description How long the job holds the unique key. Null without one, and once a requeue has given it up.
             * @enum {string|null}
             */
            unique_scope: "waiting" | "live" | "window" | null;
            /** @description W3C traceparent of the request that enqueued the job. */
            trace_context: string | null;
            /** @description JSON pointers to the parts of the payload that were sensitive when it was written. Null means all of it. */
            sensitive: string[] | null;
            /** @description Whether callers without payload:read see the result, although parts of the payload are sensitive. */
            open_results: boolean;
            /**
             * Format: date-time
             * @description Time when the job was enqueued.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description Time when retention removed the payload, metadata, result, errors and history. Null if nothing was removed. What is left is a receipt: its idempotency key is still known, but it cannot be requeued or duplicated.
             */
            stripped_at: string | null;
            /**
             * Format: date-time
             * @description Time when the job reached a final status.
             */
            finished_at: string | null;
        };
        /** @description The jobs that match all members. An empty filter matches every job, and an action on it needs `all`. */
        JobFilter: {
            status?: components["schemas"]["JobStatus"];
            /** @description Jobs of this kind. */
            kind?: string;
            /** @description Jobs of this queue. */
            queue?: string;
            /** @description Jobs of this tenant. */
            tenant?: string;
            /** @description Jobs with this key. */
            key?: string;
            /** @description Jobs whose metadata has these members. Values are compared as text, so a number matches its digits. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description Jobs created at or after this time.
             */
            created_after?: string;
            /**
             * Format: date-time
             * @description Jobs created before this time.
             */
            created_before?: string;
            /**
             * Format: date-time
             * @description Jobs that ended at or after this time.
             */
            finished_after?: string;
            /**
             * Format: date-time
             * @description Jobs that ended before this time.
             */
            finished_before?: string;
            /** @description Jobs with an attempt that failed with this fingerprint. `GET /errors` lists the fingerprints. */
            fingerprint?: string | string[];
            /** @description Jobs that this schedule enqueued. */
            schedule?: string;
            /** @description Jobs that are running in this worker. */
            worker?: string;
            /** @description Jobs that are running in workers of this version. Not available to scoped callers. */
            worker_version?: string;
        };
        /** @description A link that reads one job without credentials. */
        JobLink: {
            /** @description Path of the link, relative to the base URL of this API. */
            path: string;
            /**
             * Format: date-time
             * @description Time when the link expires.
             */
            expires_at: string;
        };
        /** @description A page of jobs. */
        JobList: {
            /** @description The jobs, newest first. */
            data: components["schemas"]["Job"][];
            /** @description Cursor of the next page. Null on the last page. */
            next_cursor: string | null;
            /** @description How far the request has read, if it reached its maximum number of rows. Null if it has read everything. */
            scanned: {
                /** @description Number of rows that the request has read. */
                rows: number;
                /**
                 * Format: date-time
                 * @description Time when the oldest of these rows was created.
                 */
                back_to: string;
            } | null;
        };
        /** @description How the job waits between its attempts. Null uses the policy of the kind or of the worker. */
        JobRetryPolicy: {
            /** @enum {string} */
            type: "decorrelated";
            /** @default 1000 */
            base_ms?: number;
            /** @default 60000 */
            cap_ms?: number;
        } | {
            /** @enum {string} */
            type: "exponential";
            /**
             * @default full
             * @enum {string}
             */
            jitter?: "full" | "none" | "proportional";
            base_ms?: number;
            /** @default 300000 */
            cap_ms?: number;
        } | {
            /** @enum {string} */
            type: "fixed";
            base_ms: number;
        } | null;
        /** @description The members of a job that change while it runs. */
        JobStateSummary: {
            /**
             * Format: uuid
             * @description Id of the job.
             */
            id: string;
            status: components["schemas"]["JobStatus"];
            /** @description Number of attempts so far, including a running one. */
            attempts: number;
            /** @description Maximum number of attempts. */
            max_attempts: number;
            /** @description Whether cancellation was requested. */
            cancel_requested: boolean;
            /** @description Progress in percent, as last reported by the handler. Null if it has reported none. */
            progress: number | null;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updated_at: string;
        };
        /** @description The states of several jobs. */
        JobStateSummaryList: {
            /** @description The states, in no particular order. */
            data: components["schemas"]["JobStateSummary"][];
        };
        /** @description The jobs whose states to read. */
        JobStatesOf: {
            /** @description The ids of the jobs. */
            ids: string[];
        };
        /**
         * @description Status of the job. `succeeded`, `failed_permanent` and `cancelled` are final.
         * @enum {string}
         */
        JobStatus: "queued" | "running" | "succeeded" | "retrying" | "failed_permanent" | "cancelled";
        /** @description An API key. */
        Key: {
            /** @description Public id of the key. */
            id: string;
            /** @description Name of the key, such as its owner. */
            name: string;
            /**
             * @description Role of the key: a set of permissions.
             * @enum {string}
             */
            role: "enqueue" | "read" | "operate" | "admin";
            /** @description Permissions in addition to those of the role. */
            permissions: ("jobs:enqueue" | "jobs:read" | "jobs:control" | "jobs:edit" | "jobs:delete" | "payload:read" | "dead_letters:read" | "dead_letters:requeue" | "dead_letters:delete" | "queues:control" | "limits:write" | "schedules:read" | "schedules:control" | "schedules:write" | "ops:read" | "kinds:read" | "kinds:write" | "keys:read" | "keys:revoke" | "audit:read")[];
            /** @description Rate limit of the key. Null uses API_KEY_RATE. */
            rate: {
                /** @description Number of requests allowed in per_seconds, over all API processes. */
                count: number;
                /** @description Length of the time window in seconds. */
                per_seconds: number;
                /** @description Number of requests that can be sent at once after a pause. */
                burst: number;
            } | null;
            /** @description Tenant that the key is restricted to. Null if it is not restricted to a tenant. */
            tenant_id: string | null;
            /** @description Queues that the key is restricted to. Null means all queues. */
            queues: string[] | null;
            /** @description Kinds that the key is restricted to. Null means all kinds. */
            kinds: string[] | null;
            /** @description Id of the key that this key was created to replace. */
            replaces: string | null;
            /**
             * Format: date-time
             * @description Time when the key was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time when the key expires. Null if it does not expire.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Hour of the last use. Null if the key was never used.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description Time when the key was revoked. Null if it was not.
             */
            revoked_at: string | null;
        };
        /** @description All API keys. */
        KeyList: {
            /** @description The API keys, newest first. */
            data: components["schemas"]["Key"][];
        };
        /** @description A job kind with its versions. */
        Kind: {
            /** @description Name of the kind. */
            kind: string;
            /** @description The versions, newest first. */
            versions: {
                /** @description Version of the kind. */
                version: number;
                /**
                 * @description `built_in`: the API was started with it. `registered`: a worker, a command or POST /kinds registered it.
                 * @enum {string}
                 */
                source: "built_in" | "registered";
                /** @description JSON Schema 2020-12. Every `$ref` must begin with #. */
                payload_schema: {
                    [key: string]: unknown;
                };
                defaults: components["schemas"]["KindDefaults"];
                /** @description What jobs of the kind do. */
                description: string | null;
                /** @description JSON pointers to the sensitive values of the payload. Null means the whole payload. */
                sensitive: string[] | null;
                /** @description Number of live workers that run this version. */
                live_workers: number;
                /** @description Who registered this version. Null if it is built in. */
                registered_by: string | null;
                /**
                 * Format: date-time
                 * @description Time when this version was first registered. Null if it is built in.
                 */
                registered_at: string | null;
                /**
                 * Format: date-time
                 * @description Hour of the last registration. Null if it is built in.
                 */
                last_seen_at: string | null;
                /**
                 * Format: date-time
                 * @description Time when this version was retired: since then, no jobs of it are accepted. Null if it was not retired.
                 */
                retired_at: string | null;
            }[];
        };
        /** @description Defaults for jobs of the kind. A job can override each of them. */
        KindDefaults: {
            queue?: string;
            priority?: number;
            max_attempts?: number;
            timeout_ms?: number;
            retry_policy?: {
                /** @enum {string} */
                type: "decorrelated";
                /** @default 1000 */
                base_ms?: number;
                /** @default 60000 */
                cap_ms?: number;
            } | {
                /** @enum {string} */
                type: "exponential";
                /**
                 * @default full
                 * @enum {string}
                 */
                jitter?: "full" | "none" | "proportional";
                base_ms?: number;
                /** @default 300000 */
                cap_ms?: number;
            } | {
                /** @enum {string} */
                type: "fixed";
                base_ms: number;
            };
            key?: string;
            weight?: number;
            open_results?: boolean;
        };
        /** @description All job kinds. */
        KindList: {
            /** @description The kinds, sorted by name. */
            data: components["schemas"]["KindSummary"][];
        };
        /** @description A job kind with the numbers of its versions. */
        KindSummary: {
            /** @description Name of the kind. */
            kind: string;
            /** @description Description of the newest version. */
            description: string | null;
            /** @description Versions of the kind, newest first. */
            versions: number[];
            /**
             * @description `built_in`: the API was started with it. `registered`: a worker, a command or POST /kinds registered it.
             * @enum {string}
             */
            source: "built_in" | "registered";
            /**
             * Format: date-time
             * @description Time when the kind was retired: since then, no jobs of it are accepted. Null if it was not retired.
             */
            retired_at: string | null;
        };
        /** @description A limit. A job starts only if every limit that applies to it allows that. */
        Limit: {
            /** @description Queue of the limit. */
            queue: string;
            /**
             * @description What the limit applies to. `queue`: the whole queue. `kind`: one kind in it. `key`: one key in it. `each_key`: each key without a limit of its own. `tenant`: one tenant in it.
             * @enum {string}
             */
            scope: "queue" | "kind" | "key" | "each_key" | "tenant";
            /** @description Name of the kind, key or tenant. Null for the scopes `queue` and `each_key`. */
            name: string | null;
            /** @description Maximum number of running jobs. Null if it is not limited. */
            max_running: number | null;
            /** @description Maximum number of waiting jobs. Beyond it, enqueues fail with queue_full. Counted every second. Only for the scopes `queue` and `tenant`. */
            max_waiting: number | null;
            rate: components["schemas"]["LimitRate"];
            /** @description Starts the jobs of each key one after the other, by priority, run_at and id. Only for the scope `each_key`. */
            ordered: {
                /**
                 * @description What the jobs behind a job that is retried do. `block` (default): they wait until it has ended. `continue`: they start.
                 * @enum {string}
                 */
                on_retry: "block" | "continue";
            } | null;
            /**
             * @description Lets tenants or keys take turns within a priority, however many jobs each has waiting. Only for the scope `queue`.
             * @enum {string|null}
             */
            fair_by: "tenant" | "key" | null;
            /** @description Number of turns for each turn of the others. Null means 1. Only for the scopes `tenant` and `key`. */
            weight: number | null;
            /**
             * Format: date-time
             * @description Time since when starts are paused. Null if they are not.
             */
            paused_at: string | null;
            /**
             * Format: date-time
             * @description Time when the limit was first set.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time when the limit was last set.
             */
            updated_at: string;
        };
        /** @description A limit with its current use. */
        LimitInUse: {
            /** @description Queue of the limit. */
            queue: string;
            /**
             * @description What the limit applies to. `queue`: the whole queue. `kind`: one kind in it. `key`: one key in it. `each_key`: each key without a limit of its own. `tenant`: one tenant in it.
             * @enum {string}
             */
            scope: "queue" | "kind" | "key" | "each_key" | "tenant";
            /** @description Name of the kind, key or tenant. Null for the scopes `queue` and `each_key`. */
            name: string | null;
            /** @description Maximum number of running jobs. Null if it is not limited. */
            max_running: number | null;
            /** @description Maximum number of waiting jobs. Beyond it, enqueues fail with queue_full. Counted every second. Only for the scopes `queue` and `tenant`. */
            max_waiting: number | null;
            rate: components["schemas"]["LimitRate"];
            /** @description Starts the jobs of each key one after the other, by priority, run_at and id. Only for the scope `each_key`. */
            ordered: {
                /**
                 * @description What the jobs behind a job that is retried do. `block` (default): they wait until it has ended. `continue`: they start.
                 * @enum {string}
                 */
                on_retry: "block" | "continue";
            } | null;
            /**
             * @description Lets tenants or keys take turns within a priority, however many jobs each has waiting. Only for the scope `queue`.
             * @enum {string|null}
             */
            fair_by: "tenant" | "key" | null;
            /** @description Number of turns for each turn of the others. Null means 1. Only for the scopes `tenant` and `key`. */
            weight: number | null;
            /**
             * Format: date-time
             * @description Time since when starts are paused. Null if they are not.
             */
            paused_at: string | null;
            /**
             * Format: date-time
             * @description Time when the limit was first set.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time when the limit was last set.
             */
            updated_at: string;
            /** @description Number of running jobs, by the counter that claims use. For a key that several tenants use, the number of the tenant with the most. Null if max_running is not set, and for the scope `each_key`: GET /queues/{name}/keys has the number of each key. */
            running: number | null;
        };
        /** @description A page of limits. */
        LimitList: {
            /** @description The limits, sorted by queue, scope and name. */
            data: components["schemas"]["LimitInUse"][];
            /** @description Cursor of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description Rate limit: a token bucket. In any t milliseconds, starts take at most burst + t × count / per_ms tokens. */
        LimitRate: {
            /** @description Number of tokens that are added in per_ms. A start takes the weight of its job. */
            count: number;
            /** @description Length of the time window in milliseconds. */
            per_ms: number;
            /** @description Maximum number of tokens, which can be used at once after a pause. */
            burst: number;
        } | null;
        /** @description The report of a live process. */
        Liveness: {
            /**
             * @description Always `alive`.
             * @enum {string}
             */
            status: "alive";
        };
        /** @description A log line of a handler. */
        LogLine: {
            /**
             * Format: uuid
             * @description Id of the job.
             */
            job_id: string;
            /** @description Number of the attempt. It starts at 1 again after a requeue. */
            attempt: number;
            /** @description Lease token of the attempt. It increases with every claim of the job, also after a requeue. */
            lease_token: number;
            /** @description Number of the line within the attempt, from 1. */
            line: number;
            /**
             * Format: date-time
             * @description Time of the line, by the clock of the worker.
             */
            at: string;
            /**
             * @description Level of the line.
             * @enum {string}
             */
            level: "debug" | "info" | "warn" | "error";
            /** @description The message. The sensitive values of the payload were hidden when it was stored. */
            message: string;
            /** @description Structured fields of the line: an object or null. The sensitive values of the payload were hidden when it was stored. */
            fields: unknown;
        };
        /** @description A page of log lines. */
        LogList: {
            /** @description The log lines. */
            data: components["schemas"]["LogLine"][];
            /** @description Cursor of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description The caller, with its permissions and scope. */
        Me: {
            /**
             * @description `key`: an API key. `subject`: the subject of an OpenID Connect token. `token`: the holder of API_TOKEN. `anyone`: a caller of an API without authentication.
             * @enum {string}
             */
            type: "key" | "subject" | "token" | "anyone";
            /** @description Public id of the API key. Null if the caller is not an API key. */
            key_id: string | null;
            /** @description Name of the key or the subject. */
            name: string | null;
            /** @description All permissions of the caller. */
            permissions: ("jobs:enqueue" | "jobs:read" | "jobs:control" | "jobs:edit" | "jobs:delete" | "payload:read" | "dead_letters:read" | "dead_letters:requeue" | "dead_letters:delete" | "queues:control" | "limits:write" | "schedules:read" | "schedules:control" | "schedules:write" | "ops:read" | "kinds:read" | "kinds:write" | "keys:read" | "keys:revoke" | "audit:read")[];
            /** @description Tenant that the caller is restricted to. Null if there is none. */
            tenant_id: string | null;
            /** @description Queues that the caller is restricted to. Null means all queues. */
            queues: string[] | null;
            /** @description Kinds that the caller is restricted to. Null means all kinds. */
            kinds: string[] | null;
            /** @description Rate limit of the caller. Null if there is none. */
            rate: {
                /** @description Number of requests allowed in per_seconds, over all API processes. */
                count: number;
                /** @description Length of the time window in seconds. */
                per_seconds: number;
                /** @description Number of requests that can be sent at once after a pause. */
                burst: number;
            } | null;
        };
        /** @description A bulk action that workers run in batches. */
        Operation: {
            /**
             * Format: uuid
             * @description Id of the operation. A UUIDv7, so ids sort by creation time.
             */
            id: string;
            /**
             * @description The action on each job.
             * @enum {string}
             */
            act: "cancel" | "requeue" | "reschedule" | "delete" | "purge" | "erase" | "requeue_dead_letters";
            /** @description Filter of the jobs. */
            filter: unknown;
            /**
             * Format: date-time
             * @description New earliest start, for a reschedule. Otherwise null.
             */
            run_at: string | null;
            /** @description Maximum number of jobs a second. Null if it is not limited. */
            rate: number | null;
            /**
             * @description State of the operation. `refused`: its creator no longer has the permission. `failed`: the database refused a change. Both have a reason.
             * @enum {string}
             */
            state: "running" | "succeeded" | "cancelled" | "refused" | "failed";
            /** @description Number of matching jobs when the operation was created. */
            expected: number;
            /** @description Whether expected is a lower bound, because counting stopped. */
            expected_is_least: boolean;
            /** @description Number of jobs changed so far. */
            changed: number;
            /** @description Number of jobs that matched at first, but no longer when the operation reached them. */
            skipped: number;
            /** @description Why the operation was refused or failed. Otherwise null. */
            reason: string | null;
            /** @description Id of the API key or name of the role that created the operation. */
            actor: string | null;
            /** @description Name of the API key. */
            actor_name: string | null;
            /**
             * Format: date-time
             * @description Time when the operation was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time when the operation ended. Null while it runs.
             */
            finished_at: string | null;
        };
        /** @description A page of operations. */
        OperationList: {
            /** @description The operations, newest first. */
            data: components["schemas"]["Operation"][];
            /** @description Cursor of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description The previous start of a rescheduled job. */
        PreviousStart: {
            /**
             * Format: uuid
             * @description Id of the job.
             */
            id: string;
            /**
             * Format: date-time
             * @description Previous earliest start, to the millisecond.
             */
            run_at: string;
            /**
             * Format: date-time
             * @description Time of the reschedule. A job that was changed later is not restored.
             */
            changed_at: string;
        };
        /** @description An error response (RFC 9457). */
        Problem: {
            /** @description URI of the problem type: urn:queue:problem:<error>. */
            type: string;
            /** @description Short summary of the problem type. */
            title: string;
            /** @description HTTP status. */
            status: number;
            /** @description What is wrong with this request, and what to do. */
            detail: string;
            /** @description Path of the request. */
            instance: string;
            /**
             * @description Code of the problem type, for programs.
             * @enum {string}
             */
            error: "invalid_job" | "invalid_options" | "invalid_cursor" | "unknown_kind" | "invalid_kind" | "kind_conflict" | "kind_not_found" | "invalid_transition" | "refused" | "job_not_found" | "dead_letter_not_found" | "operation_not_found" | "selects_everything" | "too_many_operations" | "job_changed" | "queue_not_found" | "limit_not_found" | "limit_changed" | "invalid_limit" | "out_of_scope" | "key_not_found" | "invalid_schedule" | "schedule_not_found" | "schedule_exists" | "schedule_overlaps" | "idempotency_mismatch" | "idempotency_key_locked" | "unique_conflict" | "unique_key_locked" | "queue_full" | "enqueue_too_old" | "overloaded" | "database_unavailable" | "schema_mismatch" | "migration_failed" | "bad_request" | "unparsable_body" | "invalid_query" | "invalid_header" | "invalid_body" | "unauthorized" | "forbidden" | "foreign_origin" | "not_found" | "method_not_allowed" | "not_acceptable" | "request_timeout" | "body_too_large" | "unsupported_media_type" | "foreign_host" | "rate_limited" | "too_many_requests" | "too_many_streams" | "too_many_waits" | "too_many_bytes" | "too_many_link_reads" | "too_many_sign_ins" | "precondition_required" | "headers_too_large" | "internal" | "issuer_unavailable" | "not_ready" | "timeout";
            /** @description The same text as detail. */
            message: string;
            /** @description The invalid parts of the request. Present if the input is invalid. */
            issues?: {
                /** @description JSON pointer into the body, or the name of a query parameter or header after a slash. */
                path: string;
                /** @description What is wrong there. */
                message: string;
            }[];
            /**
             * @description The missing permission. Present with `forbidden`.
             * @enum {string}
             */
            permission?: "jobs:enqueue" | "jobs:read" | "jobs:control" | "jobs:edit" | "jobs:delete" | "payload:read" | "dead_letters:read" | "dead_letters:requeue" | "dead_letters:delete" | "queues:control" | "limits:write" | "schedules:read" | "schedules:control" | "schedules:write" | "ops:read" | "kinds:read" | "kinds:write" | "keys:read" | "keys:revoke" | "audit:read";
            /** @description Tenants of the caller, of which the request must name one. Present with `out_of_scope`. */
            tenants?: string[];
            job_status?: components["schemas"]["JobStatus"];
            checks?: components["schemas"]["Checks"];
        };
        /** @description How to run the purge. */
        PurgeQueue: {
            /**
             * @description Whether to only count the matching jobs (up to 100000) and name a few. Nothing is changed.
             * @default false
             */
            dry_run?: boolean;
            /** @description Maximum number of jobs a second. With a rate, the action always becomes an operation. */
            rate?: number;
        };
        /** @description A queue with the numbers of its jobs and workers. */
        Queue: {
            /** @description Name of the queue. */
            name: string;
            /**
             * Format: date-time
             * @description Time since when the queue is paused. Null if it is not.
             */
            paused_at: string | null;
            /** @description Number of unfinished jobs by status. */
            depth: {
                /** @description Number of queued jobs. */
                queued: number;
                /** @description Number of jobs that wait for a retry. */
                retrying: number;
                /** @description Number of running jobs. */
                running: number;
            };
            /** @description Number of waiting jobs that are due. They wait for a slot, a limit or a worker. */
            ready: number;
            /** @description Number of these jobs that became due within the last five minutes. */
            newly_ready: number;
            /** @description Seconds since the oldest waiting job became due. Null if none is due. */
            oldest_ready_seconds: number | null;
            /** @description Number of live workers that serve the queue. */
            workers: number;
        };
        /** @description The jobs of one key in a queue, with their limits. */
        QueueKey: {
            /** @description The key. It is never hidden. */
            key: string;
            /** @description Tenant of the jobs. Null for jobs without a tenant. Each tenant has its own keys. */
            tenant_id: string | null;
            /** @description Number of waiting jobs that were counted. */
            waiting: number;
            /** @description Whether waiting is a lower bound: in a large queue, each key is counted up to 1000. */
            waiting_is_least: boolean;
            /** @description Estimated number of waiting jobs, from a sample. Null if waiting is exact or there is no estimate. */
            waiting_estimate: number | null;
            /** @description Number of running jobs. */
            running: number;
            /** @description Seconds since the oldest waiting job became due. Null if none is due. If waiting is a lower bound, an older job can exist. */
            oldest_ready_seconds: number | null;
            /**
             * @description Whether limits on the key let a job start. `open`: yes. `paused`: a limit pauses it. `full`: its concurrency limit is reached. `rate_spent`: its rate limit is used up. Limits of the queue and of kinds are not considered.
             * @enum {string}
             */
            state: "open" | "paused" | "full" | "rate_spent";
            /**
             * Format: date-time
             * @description Time since when a limit pauses the key. Null if none does.
             */
            paused_at: string | null;
            /** @description Maximum number of running jobs. Null if it is not limited. */
            max_running: number | null;
            /**
             * Format: date-time
             * @description Time when the rate limit lets another job start. Null if it does now.
             */
            rate_opens_at: string | null;
            /** @description Whether the jobs of the key start one after the other. */
            is_ordered: boolean;
            /** @description Whether the key has a limit of its own. */
            has_limit: boolean;
        };
        /** @description The keys of a queue. */
        QueueKeyList: {
            /** @description The keys, those with the most waiting jobs first. */
            data: components["schemas"]["QueueKey"][];
            /** @description Whether all waiting jobs that have a key were counted. If false, keys with few jobs can be missing. */
            is_complete: boolean;
        };
        /** @description A page of queues. */
        QueueList: {
            /** @description The queues, sorted by name. */
            data: components["schemas"]["Queue"][];
            /** @description Cursor of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description Whether a queue is paused. */
        QueueState: {
            /** @description Name of the queue. */
            name: string;
            /**
             * Format: date-time
             * @description Time since when the queue is paused. Null if it is not.
             */
            paused_at: string | null;
        };
        /** @description The report of a ready server. */
        Readiness: {
            /**
             * @description Always `ready`.
             * @enum {string}
             */
            status: "ready";
            checks: components["schemas"]["Checks"];
        };
        /** @description A kind version to register. */
        RegisterKind: {
            /** @description Name of the kind. */
            kind: string;
            /** @description Version of the kind. Defaults to 1. */
            version?: number;
            /** @description JSON Schema 2020-12. Every `$ref` must begin with #. */
            payload_schema: {
                [key: string]: unknown;
            };
            defaults?: components["schemas"]["KindDefaults"];
            /** @description What jobs of the kind do. */
            description?: string;
            /** @description JSON pointers to the sensitive values of the payload, which are masked for callers without payload:read. `*` matches each element. By default, the whole payload is sensitive. */
            sensitive?: string[];
        };
        /** @description Kind versions to register. */
        RegisterKinds: {
            /** @description The kind versions to register. */
            kinds: components["schemas"]["RegisterKind"][];
            /** @description Whether schemas that were replaced earlier and kinds that were retired are restored. Do not set it in a process that may run an old release. Defaults to false. */
            restore?: boolean;
        };
        /** @description The outcome of a registration. */
        RegisteredKinds: {
            /** @description The outcomes, in the order of the request. */
            data: {
                /** @description Name of the kind. */
                kind: string;
                /** @description Version of the kind. */
                version: number;
                /**
                 * @description `new`: registered for the first time. `unchanged`: the same schema was registered. `replaced`: this schema replaced another one. `kept`: a newer schema had replaced this one before, and was kept.
                 * @enum {string}
                 */
                outcome: "new" | "unchanged" | "replaced" | "kept";
                /** @description JSON pointers to the first 20 differences between the schemas. */
                changed_paths: string[];
            }[];
        };
        /** @description The filters of the dead letters to requeue, and how to run the action. */
        RequeueDeadLetters: {
            /** @description Dead letters of this kind. */
            kind?: string;
            /** @description Dead letters of this queue. */
            queue?: string;
            /** @description Dead letters whose last failure has this fingerprint. GET /errors lists the fingerprints. */
            fingerprint?: string | string[];
            /** @description Dead letters of this tenant. */
            tenant?: string;
            /**
             * Format: date-time
             * @description Dead letters created at or after this time.
             */
            dead_lettered_after?: string;
            /**
             * Format: date-time
             * @description Dead letters created before this time.
             */
            dead_lettered_before?: string;
            /**
             * @description Must be true to act on everything that the caller can see. Without it, a filter without a condition is refused, except in a dry run.
             * @default false
             */
            all?: boolean;
            /**
             * @description Whether to only count the matching jobs (up to 100000) and name a few. Nothing is changed.
             * @default false
             */
            dry_run?: boolean;
            /** @description Maximum number of jobs a second. With a rate, the action always becomes an operation. */
            rate?: number;
        };
        /** @description A filter of jobs, and how to run the action. */
        RequeueJobs: {
            filter: components["schemas"]["JobFilter"];
            /**
             * @description Must be true to act on everything that the caller can see. Without it, a filter without a condition is refused, except in a dry run.
             * @default false
             */
            all?: boolean;
            /**
             * @description Whether to only count the matching jobs (up to 100000) and name a few. Nothing is changed.
             * @default false
             */
            dry_run?: boolean;
            /** @description Maximum number of jobs a second. With a rate, the action always becomes an operation. */
            rate?: number;
        };
        /** @description A requeued job. */
        RequeuedJob: {
            /**
             * Format: uuid
             * @description Id of the job.
             */
            id: string;
            /**
             * Format: date-time
             * @description `updated_at` of the job after the requeue. A job that was changed later is not restored.
             */
            changed_at: string;
        };
        /** @description A filter of jobs, their new start, and how to run the action. */
        RescheduleJobs: {
            filter: components["schemas"]["JobFilter"];
            /**
             * Format: date-time
             * @description New earliest start of all matching jobs.
             */
            run_at: string;
            /**
             * @description Must be true to act on everything that the caller can see. Without it, a filter without a condition is refused, except in a dry run.
             * @default false
             */
            all?: boolean;
            /**
             * @description Whether to only count the matching jobs (up to 100000) and name a few. Nothing is changed.
             * @default false
             */
            dry_run?: boolean;
            /** @description Maximum number of jobs a second. With a rate, the action always becomes an operation. */
            rate?: number;
        };
        ResizeImagePayload: {
            /** Format: uri */
            source_url: string;
            width: number;
            height: number;
            /** @enum {string} */
            format?: "jpeg" | "png" | "webp" | "avif";
        };
        /** @description How long the job waits between its attempts. Absent members use the defaults of the policy type. */
        RetryPolicy: {
            /** @enum {string} */
            type: "decorrelated";
            /** @default 1000 */
            base_ms?: number;
            /** @default 60000 */
            cap_ms?: number;
        } | {
            /** @enum {string} */
            type: "exponential";
            /**
             * @default full
             * @enum {string}
             */
            jitter?: "full" | "none" | "proportional";
            base_ms?: number;
            /** @default 300000 */
            cap_ms?: number;
        } | {
            /** @enum {string} */
            type: "fixed";
            base_ms: number;
        };
        /** @description A schedule, which enqueues a job at each of its run times. */
        Schedule: {
            /** @description Name of the schedule. */
            name: string;
            /** @description Source that syncs the schedule. Empty if it was created directly. */
            source: string;
            /** @description Revision of the sync that wrote the schedule. */
            revision: number;
            /** @description Kind of the jobs. */
            kind: string;
            /** @description Kind version of the payload. */
            kind_version: number;
            /** @description Payload of the jobs. Callers without payload:read see `***` in place of sensitive values. */
            payload: unknown;
            /** @description Queue of the jobs. */
            queue: string;
            /** @description Priority of the jobs. Lower numbers start first. */
            priority: number;
            /** @description Maximum number of attempts of each job. */
            max_attempts: number;
            /** @description Timeout of one attempt in milliseconds. Null uses the default of the kind or of the worker. */
            timeout_ms: number | null;
            retry_policy: components["schemas"]["JobRetryPolicy"];
            /** @description Metadata to find the job by, with up to 20 members and 4096 bytes. It is never masked, so do not put secrets into it. */
            metadata: {
                [key: string]: string | number | boolean;
            } | null;
            /** @description Expiry of each job, in milliseconds from its enqueue. Null if jobs do not expire. */
            expires_in_ms: number | null;
            unique: components["schemas"]["ScheduleUnique"];
            /** @description Key of the job, by which limits can apply. Null if it has none. It is never hidden. */
            key: string | null;
            /** @description Tokens that a start of the job takes from each rate limit. */
            weight: number;
            /** @description The timing in words. */
            description: string;
            /** @description Cron expression. Null for an interval. */
            cron: string | null;
            /** @description IANA time zone of the cron expression. */
            time_zone: string;
            /** @description Interval between two runs in milliseconds. Null for a cron expression. */
            every_ms: number | null;
            /**
             * Format: date-time
             * @description No run before this time.
             */
            starts_at: string | null;
            /**
             * Format: date-time
             * @description No run at or after this time.
             */
            ends_at: string | null;
            /** @description Maximum delay of each run in milliseconds. */
            jitter_ms: number;
            /**
             * @description What happens to missed runs.
             * @enum {string}
             */
            missed: "skip" | "once" | "all";
            /** @description Maximum lateness of a run in milliseconds. Null uses the default of `missed`. */
            missed_window_ms: number | null;
            /**
             * @description Whether a run can start while the job of the previous run has not ended.
             * @enum {string}
             */
            overlap: "allow" | "skip";
            /** @description JSON pointers to the parts of the payload that were sensitive when it was written. Null means all of it. */
            sensitive: string[] | null;
            /** @description Whether callers without payload:read see the result, although parts of the payload are sensitive. */
            open_results: boolean;
            /**
             * Format: date-time
             * @description Time since when the schedule is paused. Null if it is not.
             */
            paused_at: string | null;
            /** @description Why the schedule paused itself. Null if a caller paused it. */
            paused_reason: string | null;
            /**
             * Format: date-time
             * @description Time of the next run, without jitter. Null if there is none.
             */
            next_run_at: string | null;
            /**
             * Format: date-time
             * @description Time of the last run that enqueued a job.
             */
            last_run_at: string | null;
            /**
             * Format: uuid
             * @description Id of the last enqueued job.
             */
            last_job_id: string | null;
            /** @description Number of runs that enqueued a job. */
            fired_count: number;
            /** @description Number of runs that `missed` has dropped. */
            missed_count: number;
            /** @description Number of runs that `overlap` has skipped. */
            skipped_count: number;
            /**
             * Format: date-time
             * @description Time when the schedule was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time when a caller last changed the schedule.
             */
            updated_at: string;
        };
        /** @description A page of schedules. */
        ScheduleList: {
            /** @description The schedules, sorted by name. */
            data: components["schemas"]["Schedule"][];
            /** @description Cursor of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description The next run times of a schedule. */
        SchedulePreview: {
            /** @description The timing in words. */
            description: string;
            /** @description The next run times, without jitter, up to 20. */
            instants: string[];
        };
        /** @description The outcome of a sync. */
        ScheduleSyncReport: {
            /**
             * @description `synced`: the schedules match the list. `outdated`: the current revision is higher, and nothing was changed.
             * @enum {string}
             */
            outcome: "synced" | "outdated";
            /** @description Current revision of the source. */
            revision: number;
            /** @description Names of the created schedules. */
            created: string[];
            /** @description Names of the updated schedules. */
            updated: string[];
            /** @description Names of the schedules that already matched. */
            unchanged: string[];
            /** @description Names of the deleted schedules. */
            deleted: string[];
        };
        /** @description The timing of a schedule: a cron expression or an interval, and its options. */
        ScheduleTiming: {
            /** @description Cron expression with five fields (minute, hour, day of month, month, day of week), or with seconds as the first of six. Cannot be combined with every_ms. */
            cron?: string | null;
            /** @description IANA time zone of the cron expression, such as Europe/Berlin. Defaults to UTC. */
            time_zone?: string;
            /** @description Interval between two runs in milliseconds, counted from starts_at, or from 1970 if that is absent. Cannot be combined with cron. */
            every_ms?: number | null;
            /**
             * Format: date-time
             * @description No run before this time.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description No run at or after this time.
             */
            ends_at?: string | null;
            /** @description Maximum delay of each run in milliseconds. The delay of a run time is always the same. Defaults to 0. */
            jitter_ms?: number;
            /**
             * @description What happens to missed runs. `skip`: none is made up for. `once` (default): one run makes up for all. `all`: each is made up for.
             * @enum {string}
             */
            missed?: "skip" | "once" | "all";
            /** @description Maximum lateness of a run in milliseconds. Defaults to 60 000 with `skip`, to a day with `all`, and to no maximum with `once`. */
            missed_window_ms?: number | null;
            /**
             * @description Whether a run can start while the job of the previous run has not ended. `allow` (default): yes. `skip`: the run is skipped.
             * @enum {string}
             */
            overlap?: "allow" | "skip";
        };
        /** @description Unique key of the jobs of a schedule. Null if they are not unique. */
        ScheduleUnique: {
            /** @description The unique key. */
            key: string;
            /**
             * @description How long a job holds the key.
             * @enum {string}
             */
            scope: "waiting" | "live" | "window";
            /** @description Window in milliseconds. Null unless the scope is `window`. */
            window_ms: number | null;
            /** @description Latest start in milliseconds. Null unless on_conflict is `reschedule`. */
            max_wait_ms: number | null;
            /**
             * @description What happens if another job holds the key.
             * @enum {string}
             */
            on_conflict: "return" | "refuse" | "replace" | "reschedule";
        } | null;
        SendEmailPayload: {
            /** Format: email */
            to: string;
            subject: string;
            body: string;
        };
        /** @description The new limit. It replaces the current one. */
        SetLimit: {
            /** @description Queue of the limit. */
            queue: string;
            /**
             * @description What the limit applies to. `queue`: the whole queue. `kind`: one kind in it. `key`: one key in it. `each_key`: each key without a limit of its own. `tenant`: one tenant in it.
             * @enum {string}
             */
            scope: "queue" | "kind" | "key" | "each_key" | "tenant";
            /** @description Name of the kind, key or tenant. Absent for the scopes `queue` and `each_key`. */
            name?: string;
            /** @description Maximum number of running jobs. */
            max_running?: number | null;
            /** @description Maximum number of waiting jobs. Beyond it, enqueues fail with queue_full. Counted every second. Only for the scopes `queue` and `tenant`. */
            max_waiting?: number | null;
            rate?: components["schemas"]["LimitRate"];
            /** @description Whether starts are paused. Not for the scope `each_key`. */
            paused?: boolean;
            /** @description Starts the jobs of each key one after the other, by priority, run_at and id. Only for the scope `each_key`. */
            ordered?: {
                /**
                 * @description What the jobs behind a job that is retried do. `block` (default): they wait until it has ended. `continue`: they start.
                 * @enum {string}
                 */
                on_retry?: "block" | "continue";
            } | null;
            /**
             * @description Lets tenants or keys take turns within a priority, however many jobs each has waiting. Only for the scope `queue`.
             * @enum {string|null}
             */
            fair_by?: "tenant" | "key" | null;
            /** @description Number of turns for each turn of the others. Null means 1. Only for the scopes `tenant` and `key`. */
            weight?: number | null;
        };
        /** @description Statistics of jobs over time. */
        Stats: {
            /**
             * Format: date-time
             * @description Start of the first step. Not earlier than the numbers that are kept.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the time range.
             */
            to: string;
            /**
             * @description Length of each point.
             * @enum {string}
             */
            step: "minute" | "hour" | "day";
            /** @description With `by=time`: one point for each step, including steps without events. Otherwise empty. */
            points: components["schemas"]["StatsPoint"][];
            total: components["schemas"]["Counts"];
            /** @description With `by=queue`: each queue. With `by=series`: each queue and kind. Otherwise empty. */
            series: components["schemas"]["StatsSeries"][];
        };
        /** @description The numbers of one step. */
        StatsPoint: {
            /**
             * Format: date-time
             * @description Start of the step.
             */
            at: string;
            /** @description Number of created jobs. A job is counted when a worker first claims it or when it is cancelled. */
            enqueued: number;
            /** @description Number of started attempts. */
            started: number;
            /** @description Number of jobs that succeeded. */
            succeeded: number;
            /** @description Number of jobs that failed permanently. */
            failed: number;
            /** @description Number of attempts that failed or lost their worker and are retried. */
            retried: number;
            /** @description Number of cancelled jobs. */
            cancelled: number;
            /** @description How long jobs were due before an attempt started. Null if none started. */
            wait_ms: {
                /** @description Median in milliseconds. */
                p50: number;
                /** @description 95th percentile in milliseconds. */
                p95: number;
                /** @description 99th percentile in milliseconds. */
                p99: number;
            } | null;
            /** @description How long the ended attempts ran. Null if none ended. */
            run_ms: {
                /** @description Median in milliseconds. */
                p50: number;
                /** @description 95th percentile in milliseconds. */
                p95: number;
                /** @description 99th percentile in milliseconds. */
                p99: number;
            } | null;
        };
        /** @description The numbers of one queue, or of one queue and kind. */
        StatsSeries: {
            /** @description The queue. Null for everything beyond the 200 queues and kinds that are tracked separately. */
            queue: string | null;
            /** @description The kind. Null with `by=queue`. */
            kind: string | null;
            /** @description Number of created jobs. A job is counted when a worker first claims it or when it is cancelled. */
            enqueued: number;
            /** @description Number of started attempts. */
            started: number;
            /** @description Number of jobs that succeeded. */
            succeeded: number;
            /** @description Number of jobs that failed permanently. */
            failed: number;
            /** @description Number of attempts that failed or lost their worker and are retried. */
            retried: number;
            /** @description Number of cancelled jobs. */
            cancelled: number;
            /** @description How long jobs were due before an attempt started. Null if none started. */
            wait_ms: {
                /** @description Median in milliseconds. */
                p50: number;
                /** @description 95th percentile in milliseconds. */
                p95: number;
                /** @description 99th percentile in milliseconds. */
                p99: number;
            } | null;
            /** @description How long the ended attempts ran. Null if none ended. */
            run_ms: {
                /** @description Median in milliseconds. */
                p50: number;
                /** @description 95th percentile in milliseconds. */
                p95: number;
                /** @description 99th percentile in milliseconds. */
                p99: number;
            } | null;
        };
        SummarizeTextPayload: {
            text: string;
            max_sentences?: number;
        };
        /** @description All schedules of a source. */
        SyncSchedules: {
            /** @description Source of the schedules. A sync changes only the schedules of its source. */
            source: string;
            /** @description Revision of the source. Increase it with each release: a sync with a lower revision changes nothing. */
            revision: number;
            /** @description Whether to delete the schedules of the source that are not in the list. Defaults to false. */
            prune?: boolean;
            /** @description All schedules of the source, up to 1000. */
            schedules: components["schemas"]["CreateSchedule"][];
        };
        /** @description The jobs to restore. */
        UndoCancel: {
            /** @description The `cancelled` of the response to the cancel. For a single job: its previous status, and its `updated_at` after the cancel. */
            jobs: {
                /**
                 * Format: uuid
                 * @description Id of the job.
                 */
                id: string;
                /**
                 * @description Previous status. A job that has used attempts is restored as retrying.
                 * @enum {string}
                 */
                status: "queued" | "retrying";
                /**
                 * Format: date-time
                 * @description `updated_at` of the job after the cancel. A job that was changed later is not restored.
                 */
                changed_at: string;
            }[];
        };
        /** @description The jobs to restore. */
        UndoRequeue: {
            /** @description The `requeued` of the response to the requeue. For a single job: its `updated_at` after the requeue. */
            jobs: {
                /**
                 * Format: uuid
                 * @description Id of the job.
                 */
                id: string;
                /**
                 * Format: date-time
                 * @description `updated_at` of the job after the requeue. A job that was changed later is not restored.
                 */
                changed_at: string;
            }[];
        };
        /** @description The jobs to restore. */
        UndoReschedule: {
            /** @description The `previous` of the response to the reschedule. */
            jobs: {
                /**
                 * Format: uuid
                 * @description Id of the job.
                 */
                id: string;
                /**
                 * Format: date-time
                 * @description Previous earliest start, to the millisecond.
                 */
                run_at: string;
                /**
                 * Format: date-time
                 * @description Time of the reschedule. A job that was changed later is not restored.
                 */
                changed_at: string;
            }[];
        };
        /** @description The members of a schedule to change. */
        UpdateSchedule: {
            /** @description New kind of the jobs. By default, it does not change. */
            kind?: string;
            /** @description New payload of the jobs. By default, it does not change. */
            payload?: unknown;
            /** @description Version of the kind. Defaults to the newest version whose schema accepts the payload. */
            version?: number;
            /** @description Queue of the jobs. Defaults to the queue of the kind. */
            queue?: string;
            /** @description Priority of the jobs, from 0 to 9. Lower numbers start first. Defaults to the priority of the kind. */
            priority?: number;
            /** @description Maximum number of attempts of each job. Defaults to that of the kind. */
            max_attempts?: number;
            /** @description Timeout of one attempt in milliseconds. Defaults to that of the kind or of the worker. */
            timeout_ms?: number;
            retry_policy?: components["schemas"]["RetryPolicy"];
            /** @description Metadata to find the job by, with up to 20 members and 4096 bytes. It is never masked, so do not put secrets into it. */
            metadata?: {
                [key: string]: string | number | boolean;
            };
            /** @description Expiry of each job, in milliseconds from its enqueue: a job that has not started by then is cancelled. */
            expires_in_ms?: number;
            /** @description Makes each job the only one of its kind and tenant with a unique key. */
            unique?: {
                /** @description The unique key. One job of the kind and tenant holds it at a time. It is never hidden. */
                key: string;
                /**
                 * @description How long the job holds the key. `waiting`: until its first claim. `live`: until it has ended. `window`: for window_ms.
                 * @enum {string}
                 */
                scope: "waiting" | "live" | "window";
                /** @description How long the key is held, in milliseconds from the enqueue. Required with the scope `window`, and not allowed otherwise. */
                window_ms?: number;
                /** @description With `reschedule`: the latest start, in milliseconds from the enqueue of the job that holds the key. */
                max_wait_ms?: number;
                /**
                 * @description What happens if another job holds the key. `return` (default): the response contains that job. `refuse`: the request fails with 409. `replace`: that job gets this payload and these options. `reschedule`: that job gets this start. The last two need the scope `waiting`.
                 * @enum {string}
                 */
                on_conflict?: "return" | "refuse" | "replace" | "reschedule";
            };
            /** @description Key of the jobs, by which limits can apply. Defaults to the value at the key pointer of the kind in the payload. */
            key?: string;
            /** @description Tokens that a start of a job takes from each rate limit. Defaults to the weight of the kind. */
            weight?: number;
            /** @description Cron expression with five fields (minute, hour, day of month, month, day of week), or with seconds as the first of six. Cannot be combined with every_ms. */
            cron?: string | null;
            /** @description IANA time zone of the cron expression, such as Europe/Berlin. Defaults to UTC. */
            time_zone?: string;
            /** @description Interval between two runs in milliseconds, counted from starts_at, or from 1970 if that is absent. Cannot be combined with cron. */
            every_ms?: number | null;
            /**
             * Format: date-time
             * @description No run before this time.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description No run at or after this time.
             */
            ends_at?: string | null;
            /** @description Maximum delay of each run in milliseconds. The delay of a run time is always the same. Defaults to 0. */
            jitter_ms?: number;
            /**
             * @description What happens to missed runs. `skip`: none is made up for. `once` (default): one run makes up for all. `all`: each is made up for.
             * @enum {string}
             */
            missed?: "skip" | "once" | "all";
            /** @description Maximum lateness of a run in milliseconds. Defaults to 60 000 with `skip`, to a day with `all`, and to no maximum with `once`. */
            missed_window_ms?: number | null;
            /**
             * @description Whether a run can start while the job of the previous run has not ended. `allow` (default): yes. `skip`: the run is skipped.
             * @enum {string}
             */
            overlap?: "allow" | "skip";
        };
        WebhookDeliveryPayload: {
            /** Format: uri */
            url: string;
            /** @enum {string} */
            method?: "POST" | "PUT" | "PATCH";
            headers?: {
                [key: string]: string;
            };
            body?: unknown;
            secret_name?: string;
        };
        /** @description The reasons why a job does not start, each with its fix. */
        Why: {
            /**
             * @description Status of the job when the reasons were read.
             * @enum {string}
             */
            status: "queued" | "running" | "succeeded" | "retrying" | "failed_permanent" | "cancelled";
            /** @description Whether nothing blocks the job. It then starts when a worker reaches it. */
            claimable: boolean;
            /** @description The reasons, in the order in which to check them. */
            reasons: components["schemas"]["WhyReason"][];
            /** @description Position and estimated start of the job. Null if a reason is blocking. */
            start: {
                /** @description Number of waiting jobs in the queue that come before this one. Null if unknown. */
                place: number | null;
                /** @description Attempts of the queue that started per minute, in minutes in which jobs had to wait. Null if there were none. */
                starts_per_minute: number | null;
                /**
                 * Format: date-time
                 * @description Estimated start. Null if there is no estimate.
                 */
                expected_at: string | null;
                /**
                 * @description Why there is no estimate. `not_waiting`: the job is running or has ended. `out_of_bounds`: jobs outside of the scope of the caller can come before it. `queue_paused`: the queue is paused. `no_worker`: no worker serves the queue. `too_many_before`: more jobs come before it than are counted. `no_rate`: no job of the queue had to wait in the last minutes.
                 * @enum {string|null}
                 */
                unknown: "not_waiting" | "out_of_bounds" | "queue_paused" | "no_worker" | "too_many_before" | "no_rate" | null;
            } | null;
        };
        /** @description A reason why a job does not start. */
        WhyReason: {
            /**
             * @description The reason, for programs.
             * @enum {string}
             */
            code: "succeeded" | "failed" | "cancelled" | "running" | "cancel_requested" | "owner_lost" | "database_read_only" | "attempts_spent" | "expired" | "not_due" | "queue_unknown" | "queue_paused" | "limit_paused" | "limit_full" | "rate_spent" | "behind_in_order" | "no_worker" | "kind_unserved" | "version_unserved" | "crash_suspect_waits" | "schema_refused" | "waits_turn" | "slots_full";
            /** @description Whether no worker can claim the job while the reason holds. A reason that is not blocking only delays the job. */
            blocking: boolean;
            /** @description The reason in one sentence. */
            message: string;
            /** @description How to fix it. */
            ends: string;
            /**
             * Format: date-time
             * @description Start of the condition. Null if unknown.
             */
            since: string | null;
            /**
             * Format: date-time
             * @description Time when the condition ends by itself. Null if unknown.
             */
            until: string | null;
            /** @description Details of the reason. Members that do not apply are null. */
            details: {
                /** @description Queue of the job. */
                queue: string | null;
                /** @description Kind of the job. */
                kind: string | null;
                /** @description Kind version of the job. */
                version: number | null;
                /** @description Number of live workers that can run the job or, if none can, of those that serve the queue. */
                workers: number | null;
                /** @description Slots of these workers. */
                slots: number | null;
                /** @description Number of jobs that these workers hold. For a limit: jobs that run under it. For `waits_turn`: due jobs, each counted with its weight. */
                jobs: number | null;
                /**
                 * @description Scope of the limit.
                 * @enum {string|null}
                 */
                scope: "queue" | "kind" | "key" | null;
                /** @description For a limit: up to ten jobs that run under it, longest running first. For ordered jobs: the job that comes first. Null for scoped callers. */
                held_by: string[] | null;
                /** @description Number of jobs that can run under the limit. For `waits_turn`: number of jobs that can start now. */
                limit: number | null;
                /** @description Versions of the kind that workers of the queue run: `invoice` is version 1, `invoice/2` is version 2. */
                runs: string[] | null;
                /** @description Other queues whose live workers can run the job. Null for scoped callers. */
                elsewhere: string[] | null;
            };
        };
        /** @description A worker process. */
        Worker: {
            /** @description Id of the worker. */
            id: string;
            /** @description Host name of the machine. */
            hostname: string;
            /** @description Process id. */
            pid: number;
            /** @description Release that the worker runs. */
            version: string;
            /** @description Version of the time zone data that the worker computes the times of schedules with. */
            zone_version: string;
            /** @description Queues that the worker serves. */
            queues: string[];
            /** @description Kinds that the worker has handlers for. */
            kinds: string[];
            /** @description Maximum number of jobs that the worker runs at a time. */
            concurrency: number;
            /** @description Number of jobs that the worker holds now. */
            running: number;
            /**
             * @description `active`: the worker holds a lease. `stopped`: it has shut down. `lost`: its lease has expired.
             * @enum {string}
             */
            state: "active" | "stopped" | "lost";
            /**
             * Format: date-time
             * @description Time when the worker started.
             */
            started_at: string;
            /**
             * Format: date-time
             * @description Time of the last heartbeat, which renews the lease.
             */
            heartbeat_at: string;
            /**
             * Format: date-time
             * @description Time when other workers take over its jobs unless it renews the lease.
             */
            lease_expires_at: string;
        };
        /** @description The workers of the last hour. */
        WorkerList: {
            /** @description The workers: active ones first, then newest first. */
            data: components["schemas"]["Worker"][];
        };
    };
    responses: {
        /** @description `bad_request`: The request is malformed. `invalid_header`: A header is invalid. `unparsable_body`: The body cannot be parsed. */
        "bad_request.invalid_header.unparsable_body": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unauthorized`: Authentication is required. */
        unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `forbidden`: A permission is missing. `foreign_origin`: Cross-site requests are not allowed. `out_of_scope`: The request is outside the scope of the credential. */
        "forbidden.foreign_origin.out_of_scope": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_acceptable`: No accepted media type is available. */
        not_acceptable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `request_timeout`: The request arrived too slowly. */
        request_timeout: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `idempotency_key_locked`: The idempotency key is locked. `unique_conflict`: Another job holds the unique key. `unique_key_locked`: The unique key is locked. */
        "idempotency_key_locked.unique_conflict.unique_key_locked": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `body_too_large`: The body is too large. */
        body_too_large: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unsupported_media_type`: The media type is not supported. */
        unsupported_media_type: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                Accept: components["headers"]["Accept"];
                "Accept-Encoding": components["headers"]["AcceptEncoding"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `foreign_host`: The host is not allowed. */
        foreign_host: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `idempotency_mismatch`: The idempotency key belongs to another request. `invalid_job`: The job is invalid. `unknown_kind`: The job kind is unknown. */
        "idempotency_mismatch.invalid_job.unknown_kind": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `queue_full`: The queue is full. `rate_limited`: The rate limit of the credential is used up. `too_many_bytes`: Too many bytes in flight. `too_many_requests`: Too many requests at a time. `too_many_waits`: Too many waiting requests. */
        "queue_full.rate_limited.too_many_bytes.too_many_requests.too_many_waits": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `headers_too_large`: The headers are too large. */
        headers_too_large: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `internal`: Internal server error. */
        internal: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `database_unavailable`: The database is unavailable. `enqueue_too_old`: The enqueue has waited too long. `issuer_unavailable`: The token issuer is unavailable. `overloaded`: The server is overloaded. `schema_mismatch`: The database schema does not match this release. */
        "database_unavailable.enqueue_too_old.issuer_unavailable.overloaded.schema_mismatch": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `timeout`: The request timed out. */
        timeout: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `idempotency_mismatch`: The idempotency key belongs to another request. `invalid_job`: The job is invalid. */
        "idempotency_mismatch.invalid_job": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `queue_full`: The queue is full. `rate_limited`: The rate limit of the credential is used up. `too_many_bytes`: Too many bytes in flight. `too_many_requests`: Too many requests at a time. */
        "queue_full.rate_limited.too_many_bytes.too_many_requests": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `bad_request`: The request is malformed. `invalid_cursor`: The cursor is invalid. `invalid_header`: A header is invalid. `invalid_query`: A query parameter is invalid. */
        "bad_request.invalid_cursor.invalid_header.invalid_query": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `forbidden`: A permission is missing. `out_of_scope`: The request is outside the scope of the credential. */
        "forbidden.out_of_scope": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited`: The rate limit of the credential is used up. `too_many_requests`: Too many requests at a time. */
        "rate_limited.too_many_requests": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `database_unavailable`: The database is unavailable. `issuer_unavailable`: The token issuer is unavailable. `overloaded`: The server is overloaded. `schema_mismatch`: The database schema does not match this release. */
        "database_unavailable.issuer_unavailable.overloaded.schema_mismatch": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_body`: The body is invalid. */
        invalid_body: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited`: The rate limit of the credential is used up. `too_many_bytes`: Too many bytes in flight. `too_many_requests`: Too many requests at a time. */
        "rate_limited.too_many_bytes.too_many_requests": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `refused`: The database refused the change. */
        refused: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_body`: The body is invalid. `selects_everything`: The filter selects everything. */
        "invalid_body.selects_everything": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited`: The rate limit of the credential is used up. `too_many_bytes`: Too many bytes in flight. `too_many_operations`: Too many operations. `too_many_requests`: Too many requests at a time. */
        "rate_limited.too_many_bytes.too_many_operations.too_many_requests": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `refused`: The database refused the change. `unique_key_locked`: The unique key is locked. */
        "refused.unique_key_locked": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `refused`: The database refused the change. `unique_conflict`: Another job holds the unique key. `unique_key_locked`: The unique key is locked. */
        "refused.unique_conflict.unique_key_locked": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `bad_request`: The request is malformed. `invalid_header`: A header is invalid. */
        "bad_request.invalid_header": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `job_not_found`: The job does not exist. */
        job_not_found: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited`: The rate limit of the credential is used up. `too_many_requests`: Too many requests at a time. `too_many_waits`: Too many waiting requests. */
        "rate_limited.too_many_requests.too_many_waits": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_transition`: The status of the job does not allow this. `refused`: The database refused the change. */
        "invalid_transition.refused": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `job_changed`: The job has changed. */
        job_changed: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_job`: The job is invalid. `unknown_kind`: The job kind is unknown. */
        "invalid_job.unknown_kind": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `precondition_required`: The If-Match header is required. */
        precondition_required: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `bad_request`: The request is malformed. `invalid_header`: A header is invalid. `invalid_query`: A query parameter is invalid. */
        "bad_request.invalid_header.invalid_query": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited`: The rate limit of the credential is used up. `too_many_requests`: Too many requests at a time. `too_many_streams`: Too many open streams. */
        "rate_limited.too_many_requests.too_many_streams": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_transition`: The status of the job does not allow this. `refused`: The database refused the change. `unique_conflict`: Another job holds the unique key. `unique_key_locked`: The unique key is locked. */
        "invalid_transition.refused.unique_conflict.unique_key_locked": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_job`: The job is invalid. */
        invalid_job: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `queue_full`: The queue is full. `rate_limited`: The rate limit of the credential is used up. `too_many_requests`: Too many requests at a time. */
        "queue_full.rate_limited.too_many_requests": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `job_not_found`: The job does not exist. `not_found`: The path does not exist. */
        "job_not_found.not_found": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `bad_request`: The request is malformed. */
        bad_request: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `too_many_link_reads`: Too many reads by link. */
        too_many_link_reads: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `database_unavailable`: The database is unavailable. `overloaded`: The server is overloaded. `schema_mismatch`: The database schema does not match this release. */
        "database_unavailable.overloaded.schema_mismatch": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `dead_letter_not_found`: The dead letter does not exist. */
        dead_letter_not_found: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `operation_not_found`: The operation does not exist. */
        operation_not_found: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `refused`: The database refused the change. `schedule_exists`: The schedule already exists. */
        "refused.schedule_exists": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_schedule`: The schedule is invalid. `unknown_kind`: The job kind is unknown. */
        "invalid_schedule.unknown_kind": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_schedule`: The schedule is invalid. */
        invalid_schedule: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `schedule_not_found`: The schedule does not exist. */
        schedule_not_found: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `idempotency_key_locked`: The idempotency key is locked. `refused`: The database refused the change. `schedule_overlaps`: The last job of the schedule has not ended. `unique_conflict`: Another job holds the unique key. `unique_key_locked`: The unique key is locked. */
        "idempotency_key_locked.refused.schedule_overlaps.unique_conflict.unique_key_locked": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `queue_not_found`: The queue does not exist. */
        queue_not_found: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `limit_changed`: The limit has changed. */
        limit_changed: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_limit`: The limit is invalid. */
        invalid_limit: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `limit_not_found`: The limit does not exist. */
        limit_not_found: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `kind_conflict`: Jobs of this version exist with another schema. `refused`: The database refused the change. */
        "kind_conflict.refused": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_kind`: The kind is invalid. */
        invalid_kind: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `kind_not_found`: The kind does not exist. */
        kind_not_found: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `database_unavailable`: The database is unavailable. `issuer_unavailable`: The token issuer is unavailable. `overloaded`: The server is overloaded. */
        "database_unavailable.issuer_unavailable.overloaded": {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `key_not_found`: The API key does not exist. */
        key_not_found: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_ready`: The server is not ready. */
        not_ready: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_found`: The path does not exist. */
        not_found: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
        "cache-control": string;
        /** @description The next_cursor of the previous page. Send it with the same filters. */
        cursor: string;
        /** @description Id of the dead letter. */
        "dead-letters.id": string;
        /** @description Makes the request safe to repeat: a known key is answered with the job that it created. Use one key for each job, such as `welcome-ada`. Takes precedence over idempotency_key in the body. */
        "idempotency-key": string;
        /** @description The ETag of the limit as you read it: its `updated_at` in double quotes. If the limit has changed since, nothing is written (412), unless it already is as the request would make it. */
        "if-match": string;
        /** @description Id of the job. */
        "jobs.id": string;
        /** @description The ETag of an earlier response. */
        "jobs.if-none-match": string;
        /** @description Jobs of this kind. */
        "jobs.kind": string;
        /** @description Name of the kind. */
        "kinds.kind": string;
        /** @description Maximum number of items in a page. */
        limit: number;
        /** @description Only if there is no limit for the target: otherwise nothing is written (412). */
        "limits.if-none-match": "*";
        /** @description Id of the operation. */
        "operations.id": string;
        /** @description Jobs of this queue. */
        queue: string;
        /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
        "queue-tenant": string;
        /** @description Name of the queue. */
        "queues.name": string;
        /** @description Name of the schedule. */
        "schedules.name": string;
        /** @description Jobs of this tenant. */
        tenant: string;
        /** @description W3C trace context, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. It is passed on to the handler of the job. A malformed value is ignored. */
        traceparent: string;
        /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
        "x-request-id": string;
    };
    requestBodies: never;
    headers: {
        /** @description Id of this request. */
        RequestId: string;
        /** @description Seconds to wait before the next try. */
        RetryAfter: number;
        /** @description Only for a rate-limited key. `r` is the number of remaining requests. If it is 0, `t` is the number of seconds until more are available. */
        RateLimit: string;
        /** @description Only for a rate-limited key. The rate limit: `q` requests in `w` seconds. */
        RateLimitPolicy: string;
        /** @description The supported media type, in the response to a body of another type. */
        Accept: string;
        /** @description Always `identity`: only uncompressed bodies are supported. */
        AcceptEncoding: string;
        /** @description The authentication scheme: Bearer. */
        WwwAuthenticate: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listJobs: {
        parameters: {
            query?: {
                /** @description Status of the job. `succeeded`, `failed_permanent` and `cancelled` are final. */
                status?: components["schemas"]["JobStatus"];
                /** @description Jobs of this kind. */
                kind?: components["parameters"]["jobs.kind"];
                /** @description Jobs of this queue. */
                queue?: components["parameters"]["queue"];
                /** @description Jobs of this tenant. */
                tenant?: components["parameters"]["tenant"];
                /** @description Jobs with this key. */
                key?: string;
                /** @description Jobs whose metadata has these members: `metadata.order_id=4711` or `metadata[order_id]=4711`. Values are compared as text, so a number matches its digits. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Jobs created at or after this time. */
                created_after?: string;
                /** @description Jobs created before this time. */
                created_before?: string;
                /** @description Jobs that ended at or after this time. */
                finished_after?: string;
                /** @description Jobs that ended before this time. */
                finished_before?: string;
                /** @description Jobs with an attempt that failed with this fingerprint. `GET /errors` lists the fingerprints. Separate several fingerprints with commas. */
                fingerprint?: string | string[];
                /** @description Jobs that this schedule enqueued. */
                schedule?: string;
                /** @description Jobs that are running in this worker. */
                worker?: string;
                /** @description Jobs that are running in workers of this version. Not available to scoped callers. */
                worker_version?: string;
                /** @description Maximum number of items in a page. */
                limit?: components["parameters"]["limit"];
                /** @description The next_cursor of the previous page. Send it with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "queue": "default",
                     *           "kind": "send_email",
                     *           "kind_version": 1,
                     *           "tenant_id": null,
                     *           "key": null,
                     *           "weight": 1,
                     *           "payload": {
                     *             "to": "ada@example.com",
                     *             "subject": "Welcome",
                     *             "body": "Good to have you here."
                     *           },
                     *           "metadata": {
                     *             "order_id": 4711
                     *           },
                     *           "status": "queued",
                     *           "priority": 4,
                     *           "attempts": 0,
                     *           "max_attempts": 3,
                     *           "timeout_ms": null,
                     *           "retry_policy": null,
                     *           "crashes": 0,
                     *           "last_error": null,
                     *           "result": null,
                     *           "progress": null,
                     *           "progress_message": null,
                     *           "run_at": "2026-01-15T09:30:00.000Z",
                     *           "expires_at": null,
                     *           "locked_at": null,
                     *           "locked_by": null,
                     *           "cancel_requested": false,
                     *           "cancel_reason": null,
                     *           "idempotency_key": "welcome-ada",
                     *           "unique_key": null,
                     *           "unique_scope": null,
                     *           "trace_context": null,
                     *           "sensitive": [],
                     *           "open_results": false,
                     *           "created_at": "2026-01-15T09:30:00.000Z",
                     *           "updated_at": "2026-01-15T09:30:00.000Z",
                     *           "stripped_at": null,
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "scanned": null
                     *     }
                     */
                    "application/json": components["schemas"]["JobList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_cursor.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    createJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: a known key is answered with the job that it created. Use one key for each job, such as `welcome-ada`. Takes precedence over idempotency_key in the body. */
                "idempotency-key"?: components["parameters"]["idempotency-key"];
                /** @description `handling=strict` refuses a known idempotency key with a different request (422). `wait=N` delays the response until the job has ended, for at most N seconds (maximum 25). Combine them as `handling=strict, wait=10`. */
                prefer?: string;
                /** @description W3C trace context, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. It is passed on to the handler of the job. A malformed value is ignored. */
                traceparent?: components["parameters"]["traceparent"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The job to enqueue. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateJob"];
            };
        };
        responses: {
            /** @description No job was enqueued. If the idempotency key already existed, this is the current state of the job that it created. If another job holds the unique key, this is that job after `on_conflict` was applied. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description `true` if the idempotency key already existed. */
                    "Idempotent-Replayed"?: string;
                    /** @description `wait=N`, with the applied maximum wait in seconds. */
                    "Preference-Applied"?: string;
                    /** @description `true` if the idempotency key was first used with a different kind, queue or payload. */
                    "Idempotency-Mismatch"?: string;
                    /** @description Present if another job already holds the unique key: `returned`, `replaced` or `rescheduled` says what happened to that job. */
                    "Unique-Conflict"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job was enqueued. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Path of the job. */
                    Location?: string;
                    /** @description `wait=N`, with the applied maximum wait in seconds. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["idempotency_key_locked.unique_conflict.unique_key_locked"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["idempotency_mismatch.invalid_job.unknown_kind"];
            429: components["responses"]["queue_full.rate_limited.too_many_bytes.too_many_requests.too_many_waits"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.enqueue_too_old.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    createJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=strict` (RFC 7240) refuses a known idempotency key with a different request (422). By default, the response contains the original job. */
                prefer?: string;
                /** @description W3C trace context, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. It is passed on to the handler of the job. A malformed value is ignored. */
                traceparent?: components["parameters"]["traceparent"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The jobs to enqueue. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateJobs"];
            };
        };
        responses: {
            /** @description The jobs were enqueued, except those whose idempotency key already existed. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description `true` if the idempotency key of at least one job already existed. */
                    "Idempotent-Replayed"?: string;
                    /** @description `true` if at least one of these keys was first used with a different kind, queue or payload. */
                    "Idempotency-Mismatch"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "queue": "default",
                     *           "kind": "send_email",
                     *           "kind_version": 1,
                     *           "tenant_id": null,
                     *           "key": null,
                     *           "weight": 1,
                     *           "payload": {
                     *             "to": "ada@example.com",
                     *             "subject": "Welcome",
                     *             "body": "Good to have you here."
                     *           },
                     *           "metadata": {
                     *             "order_id": 4711
                     *           },
                     *           "status": "queued",
                     *           "priority": 4,
                     *           "attempts": 0,
                     *           "max_attempts": 3,
                     *           "timeout_ms": null,
                     *           "retry_policy": null,
                     *           "crashes": 0,
                     *           "last_error": null,
                     *           "result": null,
                     *           "progress": null,
                     *           "progress_message": null,
                     *           "run_at": "2026-01-15T09:30:00.000Z",
                     *           "expires_at": null,
                     *           "locked_at": null,
                     *           "locked_by": null,
                     *           "cancel_requested": false,
                     *           "cancel_reason": null,
                     *           "idempotency_key": "welcome-ada",
                     *           "unique_key": null,
                     *           "unique_scope": null,
                     *           "trace_context": null,
                     *           "sensitive": [],
                     *           "open_results": false,
                     *           "created_at": "2026-01-15T09:30:00.000Z",
                     *           "updated_at": "2026-01-15T09:30:00.000Z",
                     *           "stripped_at": null,
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "replayed": [],
                     *       "conflicts": []
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedJobs"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["idempotency_key_locked.unique_conflict.unique_key_locked"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["idempotency_mismatch.invalid_job"];
            429: components["responses"]["queue_full.rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.enqueue_too_old.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listJobStates: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The jobs to read. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobStatesOf"];
            };
        };
        responses: {
            /** @description The states of the jobs that exist. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "status": "running",
                     *           "attempts": 1,
                     *           "max_attempts": 3,
                     *           "cancel_requested": false,
                     *           "progress": 40,
                     *           "updated_at": "2026-01-15T09:30:00.431Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["JobStateSummaryList"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_body"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    cancelJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The jobs to change. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelJobs"];
            };
        };
        responses: {
            /** @description The result of the action or of its dry run. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description The action became an operation that workers run. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_body.selects_everything"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_operations.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    requeueJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The jobs to change. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequeueJobs"];
            };
        };
        responses: {
            /** @description The result of the action or of its dry run. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description The action became an operation that workers run. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused.unique_key_locked"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_body.selects_everything"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_operations.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    rescheduleJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The jobs to reschedule, and their new start. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RescheduleJobs"];
            };
        };
        responses: {
            /** @description The result of the action or of its dry run. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description The action became an operation that workers run. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_body.selects_everything"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_operations.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    undoCancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The jobs, with their previous status. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoCancel"];
            };
        };
        responses: {
            /** @description The result of the action or of its dry run. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused.unique_conflict.unique_key_locked"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_body"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    undoRequeue: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The jobs. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoRequeue"];
            };
        };
        responses: {
            /** @description The result of the action or of its dry run. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_body"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    undoReschedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The jobs, with their previous start. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoReschedule"];
            };
        };
        responses: {
            /** @description The result of the action or of its dry run. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_body"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    deleteJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The jobs to change. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteJobs"];
            };
        };
        responses: {
            /** @description The result of the action or of its dry run. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description The action became an operation that workers run. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_body.selects_everything"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_operations.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    eraseJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The jobs to change. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["EraseJobs"];
            };
        };
        responses: {
            /** @description The result of the action or of its dry run. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description The action became an operation that workers run. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_body.selects_everything"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_operations.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` (RFC 7240) delays the response until the job has ended, for at most N seconds (maximum 25). */
                prefer?: string;
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the job. */
                id: components["parameters"]["jobs.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the job. It changes whenever the job changes. */
                    ETag?: string;
                    /** @description `wait=N`, with the applied maximum wait in seconds. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the job. */
                    ETag?: string;
                    /** @description `wait=N`, with the applied maximum wait in seconds. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            404: components["responses"]["job_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests.too_many_waits"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    editJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Required. The ETag of the job as you read it, or `*` to edit any version. */
                "if-match"?: string;
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the job. */
                id: components["parameters"]["jobs.id"];
            };
            cookie?: never;
        };
        /** @description The changes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditJob"];
            };
        };
        responses: {
            /** @description The edited job and its previous values. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the edited job. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "job": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *         "queue": "default",
                     *         "kind": "send_email",
                     *         "kind_version": 1,
                     *         "tenant_id": null,
                     *         "key": null,
                     *         "weight": 1,
                     *         "payload": {
                     *           "to": "ada@example.com",
                     *           "subject": "Welcome",
                     *           "body": "Good to have you here."
                     *         },
                     *         "metadata": {
                     *           "order_id": 4711
                     *         },
                     *         "status": "queued",
                     *         "priority": 0,
                     *         "attempts": 0,
                     *         "max_attempts": 3,
                     *         "timeout_ms": null,
                     *         "retry_policy": null,
                     *         "crashes": 0,
                     *         "last_error": null,
                     *         "result": null,
                     *         "progress": null,
                     *         "progress_message": null,
                     *         "run_at": "2026-01-15T09:30:00.000Z",
                     *         "expires_at": null,
                     *         "locked_at": null,
                     *         "locked_by": null,
                     *         "cancel_requested": false,
                     *         "cancel_reason": null,
                     *         "idempotency_key": "welcome-ada",
                     *         "unique_key": null,
                     *         "unique_scope": null,
                     *         "trace_context": null,
                     *         "sensitive": [],
                     *         "open_results": false,
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "updated_at": "2026-01-15T09:30:00.000Z",
                     *         "stripped_at": null,
                     *         "finished_at": null
                     *       },
                     *       "previous": {
                     *         "priority": 4
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EditedJob"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["job_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["invalid_transition.refused"];
            412: components["responses"]["job_changed"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_job.unknown_kind"];
            428: components["responses"]["precondition_required"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getJobEvents: {
        parameters: {
            query?: {
                /** @description Also stream log lines of this level or higher. By default, no log lines are sent. */
                logs?: "debug" | "info" | "warn" | "error";
            };
            header?: {
                /** @description The id of the last event that the client has read. An EventSource sends it when it reconnects. */
                "last-event-id"?: string;
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the job. */
                id: components["parameters"]["jobs.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event stream. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The job has ended, and the client has already read its last event. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            404: components["responses"]["job_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests.too_many_streams"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listExecutions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the job. */
                id: components["parameters"]["jobs.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ended attempts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "attempt": 1,
                     *           "lease_token": 1,
                     *           "worker_id": "worker-host-4711-9f3a",
                     *           "started_at": "2026-01-15T09:30:00.012Z",
                     *           "finished_at": "2026-01-15T09:30:00.431Z",
                     *           "outcome": "failed",
                     *           "error": "Error: the mail server refused the connection",
                     *           "error_class": "Error ECONNREFUSED",
                     *           "fingerprint": "3f0c9a51d2e8b764"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ExecutionList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            404: components["responses"]["job_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listJobLogs: {
        parameters: {
            query?: {
                /** @description Return only lines of this level or higher. By default, all lines are returned. */
                level?: "debug" | "info" | "warn" | "error";
                /** @description Maximum number of items in a page. */
                limit?: components["parameters"]["limit"];
                /** @description The next_cursor of the previous page. Send it with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the job. */
                id: components["parameters"]["jobs.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of log lines. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "attempt": 1,
                     *           "lease_token": 1,
                     *           "line": 1,
                     *           "at": "2026-01-15T09:30:00.120Z",
                     *           "level": "info",
                     *           "message": "connected to the mail server",
                     *           "fields": {
                     *             "host": "smtp.example.com"
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["LogList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_cursor.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            404: components["responses"]["job_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getExpectedStart: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the job. */
                id: components["parameters"]["jobs.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The estimate. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "place": 1200,
                     *       "starts_per_minute": 600,
                     *       "expected_at": "2026-01-15T09:32:00.000Z",
                     *       "unknown": null
                     *     }
                     */
                    "application/json": components["schemas"]["ExpectedStart"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            404: components["responses"]["job_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getWhy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the job. */
                id: components["parameters"]["jobs.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reasons. If the list is empty or no reason is blocking, the job starts when a worker reaches it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "queued",
                     *       "claimable": false,
                     *       "reasons": [
                     *         {
                     *           "code": "queue_paused",
                     *           "blocking": true,
                     *           "message": "The queue mail is paused.",
                     *           "ends": "resume the queue",
                     *           "since": "2026-01-15T09:30:00.431Z",
                     *           "until": null,
                     *           "details": {
                     *             "queue": "mail",
                     *             "kind": null,
                     *             "version": null,
                     *             "workers": null,
                     *             "slots": null,
                     *             "jobs": null,
                     *             "scope": null,
                     *             "held_by": null,
                     *             "limit": null,
                     *             "runs": null,
                     *             "elsewhere": null
                     *           }
                     *         },
                     *         {
                     *           "code": "version_unserved",
                     *           "blocking": true,
                     *           "message": "None of the 3 live workers of the queue mail runs version 2 of the kind invoice: they run invoice.",
                     *           "ends": "start a worker for this queue with a handler for this version of the kind",
                     *           "since": null,
                     *           "until": null,
                     *           "details": {
                     *             "queue": "mail",
                     *             "kind": "invoice",
                     *             "version": 2,
                     *             "workers": 3,
                     *             "slots": null,
                     *             "jobs": null,
                     *             "scope": null,
                     *             "held_by": null,
                     *             "limit": null,
                     *             "runs": [
                     *               "invoice"
                     *             ],
                     *             "elsewhere": null
                     *           }
                     *         }
                     *       ],
                     *       "start": null
                     *     }
                     */
                    "application/json": components["schemas"]["Why"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            404: components["responses"]["job_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the job. */
                id: components["parameters"]["jobs.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job was cancelled. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "cancelled",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": true,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:31:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": "2026-01-15T09:31:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job is running, and its cancellation was requested. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "running",
                     *       "priority": 4,
                     *       "attempts": 1,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": "2026-01-15T09:30:00.012Z",
                     *       "locked_by": "worker-host-4711-9f3a",
                     *       "cancel_requested": true,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["job_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["invalid_transition.refused"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    requeueJob: {
        parameters: {
            query?: {
                /** @description New expiry: the job is cancelled if it has not started by this time. Cannot be combined with expires_in_ms. */
                expires_at?: string;
                /** @description New expiry, in milliseconds from now. Cannot be combined with expires_at. */
                expires_in_ms?: number;
            };
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the job. */
                id: components["parameters"]["jobs.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job was requeued. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["job_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["invalid_transition.refused.unique_conflict.unique_key_locked"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_job"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    runJobNow: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the job. */
                id: components["parameters"]["jobs.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is due. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["job_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["invalid_transition.refused"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    duplicateJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the job. */
                id: components["parameters"]["jobs.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new job. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Path of the new job. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["job_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["invalid_transition.refused"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["queue_full.rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.enqueue_too_old.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    createJobLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the job. */
                id: components["parameters"]["jobs.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. Nothing is stored. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "path": "/linked-jobs/01980d3c-7a1e-7c3a-9f52-3b1f6c0de001.key-k3x9d0aq.1768470300000.vN1yq0m0e5v2uHc1Yw3q3f6m2b8t5k9p7r4s1x0zA2E",
                     *       "expires_at": "2026-01-15T09:45:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["JobLink"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["job_not_found.not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getLinkedJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Link from POST /jobs/{id}/links. */
                link: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["bad_request"];
            404: components["responses"]["job_not_found.not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["too_many_link_reads"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listErrors: {
        parameters: {
            query?: {
                /** @description Groups with this fingerprint. Separate several fingerprints with commas. */
                fingerprint?: string | string[];
                /** @description Groups of this kind. */
                kind?: string;
                /** @description Groups of this queue. */
                queue?: string;
                /** @description Groups of this tenant. */
                tenant?: string;
                /** @description Count failures from the hour of this time, and leave out groups without failures since. In a range of more than 47 hours, the first point can begin earlier. Without `from`, `to` counts the 30 days of hours that are kept. */
                from?: string;
                /** @description Count failures up to the hour of this time, inclusive. Defaults to now. */
                to?: string;
                /** @description `version` adds the trend of each worker version to each group. By default, only the trend of the whole group is returned. */
                by?: "cause" | "version";
                /** @description Order of the groups. `last` (default): last seen first. `first`: most recently created first. `count`: most failures first, in the time range if there is one. */
                sort?: "last" | "first" | "count";
                /** @description Maximum number of items in a page. */
                limit?: components["parameters"]["limit"];
                /** @description The next_cursor of the previous page. Send it with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of error groups. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "fingerprint": "3f0c9a51d2e8b764",
                     *           "tenant_id": null,
                     *           "queue": "mail",
                     *           "kind": "send_email",
                     *           "error_class": "Error ECONNREFUSED",
                     *           "count": 1,
                     *           "first_seen_at": "2026-01-15T09:30:00.431Z",
                     *           "last_seen_at": "2026-01-15T09:30:00.431Z",
                     *           "first_version": "1.4.0",
                     *           "worker_versions": [
                     *             "1.4.0"
                     *           ],
                     *           "sample_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "sample_error": "Error: the mail server refused the connection",
                     *           "in_range": {
                     *             "count": 1,
                     *             "share": 0.25,
                     *             "trend": [
                     *               0,
                     *               1
                     *             ],
                     *             "versions": []
                     *           }
                     *         }
                     *       ],
                     *       "range": {
                     *         "from": "2026-01-15T08:00:00.000Z",
                     *         "to": "2026-01-15T09:30:40.000Z",
                     *         "step_ms": 3600000
                     *       },
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ErrorList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_cursor.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /** @description Dead letters of this kind. */
                kind?: string;
                /** @description Dead letters of this queue. */
                queue?: string;
                /** @description Dead letters whose last failure has this fingerprint. GET /errors lists the fingerprints. Separate several fingerprints with commas. */
                fingerprint?: string | string[];
                /** @description Dead letters of this tenant. */
                tenant?: string;
                /** @description Dead letters created at or after this time. */
                dead_lettered_after?: string;
                /** @description Dead letters created before this time. */
                dead_lettered_before?: string;
                /** @description Maximum number of items in a page. */
                limit?: components["parameters"]["limit"];
                /** @description The next_cursor of the previous page. Send it with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of dead letters. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5f0c6b0e-2f0e-4f57-9d2c-6a1f3f1d7c11",
                     *           "job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "queue": "default",
                     *           "kind": "send_email",
                     *           "kind_version": 1,
                     *           "tenant_id": null,
                     *           "key": null,
                     *           "weight": 1,
                     *           "payload": {
                     *             "to": "ada@example.com",
                     *             "subject": "Welcome",
                     *             "body": "Good to have you here."
                     *           },
                     *           "metadata": {
                     *             "order_id": 4711
                     *           },
                     *           "priority": 4,
                     *           "attempts": 1,
                     *           "max_attempts": 1,
                     *           "crashes": 0,
                     *           "last_error": "Error: the mail server refused the connection",
                     *           "idempotency_key": "welcome-ada",
                     *           "sensitive": [],
                     *           "created_at": "2026-01-15T09:30:00.000Z",
                     *           "fingerprint": "3f0c9a51d2e8b764",
                     *           "execution_history": [
                     *             {
                     *               "job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *               "attempt": 1,
                     *               "lease_token": 1,
                     *               "worker_id": "worker-host-4711-9f3a",
                     *               "started_at": "2026-01-15T09:30:00.012Z",
                     *               "finished_at": "2026-01-15T09:30:00.431Z",
                     *               "outcome": "failed",
                     *               "error": "Error: the mail server refused the connection",
                     *               "error_class": "Error ECONNREFUSED",
                     *               "fingerprint": "3f0c9a51d2e8b764"
                     *             }
                     *           ],
                     *           "dead_lettered_at": "2026-01-15T09:30:00.431Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["DeadLetterList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_cursor.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    requeueDeadLetters: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The dead letters to requeue. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequeueDeadLetters"];
            };
        };
        responses: {
            /** @description The result of the action or of its dry run. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description The action became an operation that workers run. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused.unique_key_locked"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_body.selects_everything"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_operations.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getDeadLetter: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the dead letter. */
                id: components["parameters"]["dead-letters.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dead letter. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c6b0e-2f0e-4f57-9d2c-6a1f3f1d7c11",
                     *       "job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "priority": 4,
                     *       "attempts": 1,
                     *       "max_attempts": 1,
                     *       "crashes": 0,
                     *       "last_error": "Error: the mail server refused the connection",
                     *       "idempotency_key": "welcome-ada",
                     *       "sensitive": [],
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "fingerprint": "3f0c9a51d2e8b764",
                     *       "execution_history": [
                     *         {
                     *           "job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "attempt": 1,
                     *           "lease_token": 1,
                     *           "worker_id": "worker-host-4711-9f3a",
                     *           "started_at": "2026-01-15T09:30:00.012Z",
                     *           "finished_at": "2026-01-15T09:30:00.431Z",
                     *           "outcome": "failed",
                     *           "error": "Error: the mail server refused the connection",
                     *           "error_class": "Error ECONNREFUSED",
                     *           "fingerprint": "3f0c9a51d2e8b764"
                     *         }
                     *       ],
                     *       "dead_lettered_at": "2026-01-15T09:30:00.431Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeadLetter"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            404: components["responses"]["dead_letter_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    deleteDeadLetter: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the dead letter. */
                id: components["parameters"]["dead-letters.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dead letter was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["dead_letter_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    requeueDeadLetter: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the dead letter. */
                id: components["parameters"]["dead-letters.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job was requeued. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["dead_letter_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused.unique_conflict.unique_key_locked"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listOperations: {
        parameters: {
            query?: {
                /** @description Operations in this state. */
                state?: "running" | "succeeded" | "cancelled" | "refused" | "failed";
                /** @description Maximum number of items in a page. */
                limit?: components["parameters"]["limit"];
                /** @description The next_cursor of the previous page. Send it with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of operations. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *           "act": "cancel",
                     *           "filter": {
                     *             "queue": "mail"
                     *           },
                     *           "run_at": null,
                     *           "rate": null,
                     *           "state": "running",
                     *           "expected": 100000,
                     *           "expected_is_least": true,
                     *           "changed": 12500,
                     *           "skipped": 0,
                     *           "reason": null,
                     *           "actor": "keyaudit",
                     *           "actor_name": "shop",
                     *           "created_at": "2026-01-15T09:30:00.000Z",
                     *           "finished_at": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["OperationList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_cursor.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getOperation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the operation. */
                id: components["parameters"]["operations.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *       "act": "cancel",
                     *       "filter": {
                     *         "queue": "mail"
                     *       },
                     *       "run_at": null,
                     *       "rate": null,
                     *       "state": "running",
                     *       "expected": 100000,
                     *       "expected_is_least": true,
                     *       "changed": 12500,
                     *       "skipped": 0,
                     *       "reason": null,
                     *       "actor": "keyaudit",
                     *       "actor_name": "shop",
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            404: components["responses"]["operation_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    cancelOperation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the operation. */
                id: components["parameters"]["operations.id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *       "act": "cancel",
                     *       "filter": {
                     *         "queue": "mail"
                     *       },
                     *       "run_at": null,
                     *       "rate": null,
                     *       "state": "cancelled",
                     *       "expected": 100000,
                     *       "expected_is_least": true,
                     *       "changed": 12500,
                     *       "skipped": 0,
                     *       "reason": null,
                     *       "actor": "keyaudit",
                     *       "actor_name": "shop",
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "finished_at": "2026-01-15T09:31:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Operation"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["operation_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                /** @description Schedules of this source. */
                source?: string;
                /** @description Schedules whose jobs have this kind. */
                kind?: string;
                /** @description Maximum number of items in a page. */
                limit?: components["parameters"]["limit"];
                /** @description The next_cursor of the previous page. Send it with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of schedules. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "name": "nightly-report",
                     *           "source": "",
                     *           "revision": 0,
                     *           "kind": "send_email",
                     *           "kind_version": 1,
                     *           "payload": {
                     *             "to": "ada@example.com",
                     *             "subject": "Report",
                     *             "body": "It is attached."
                     *           },
                     *           "sensitive": [],
                     *           "open_results": false,
                     *           "queue": "default",
                     *           "priority": 4,
                     *           "max_attempts": 3,
                     *           "timeout_ms": null,
                     *           "retry_policy": null,
                     *           "metadata": null,
                     *           "expires_in_ms": null,
                     *           "unique": null,
                     *           "key": null,
                     *           "weight": 1,
                     *           "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *           "cron": "0 2 * * 1-5",
                     *           "time_zone": "Europe/Berlin",
                     *           "every_ms": null,
                     *           "starts_at": null,
                     *           "ends_at": null,
                     *           "jitter_ms": 0,
                     *           "missed": "once",
                     *           "missed_window_ms": null,
                     *           "overlap": "skip",
                     *           "paused_at": null,
                     *           "paused_reason": null,
                     *           "next_run_at": "2026-01-16T01:00:00.000Z",
                     *           "last_run_at": "2026-01-15T01:00:00.000Z",
                     *           "last_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *           "fired_count": 12,
                     *           "missed_count": 0,
                     *           "skipped_count": 1,
                     *           "created_at": "2026-01-01T09:30:00.000Z",
                     *           "updated_at": "2026-01-01T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ScheduleList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_cursor.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    createSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The schedule to create. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSchedule"];
            };
        };
        responses: {
            /** @description The schedule was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Path of the schedule. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "nightly-report",
                     *       "source": "",
                     *       "revision": 0,
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Report",
                     *         "body": "It is attached."
                     *       },
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "queue": "default",
                     *       "priority": 4,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "metadata": null,
                     *       "expires_in_ms": null,
                     *       "unique": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "cron": "0 2 * * 1-5",
                     *       "time_zone": "Europe/Berlin",
                     *       "every_ms": null,
                     *       "starts_at": null,
                     *       "ends_at": null,
                     *       "jitter_ms": 0,
                     *       "missed": "once",
                     *       "missed_window_ms": null,
                     *       "overlap": "skip",
                     *       "paused_at": null,
                     *       "paused_reason": null,
                     *       "next_run_at": "2026-01-16T01:00:00.000Z",
                     *       "last_run_at": "2026-01-15T01:00:00.000Z",
                     *       "last_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "fired_count": 12,
                     *       "missed_count": 0,
                     *       "skipped_count": 1,
                     *       "created_at": "2026-01-01T09:30:00.000Z",
                     *       "updated_at": "2026-01-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused.schedule_exists"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_schedule.unknown_kind"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    previewTiming: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The timing to preview. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleTiming"];
            };
        };
        responses: {
            /** @description The next run times, and the timing in words. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "instants": [
                     *         "2026-01-16T01:00:00.000Z",
                     *         "2026-01-19T01:00:00.000Z"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SchedulePreview"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_schedule"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    syncSchedules: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The schedules of the source. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncSchedules"];
            };
        };
        responses: {
            /** @description The outcome of the sync. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "outcome": "synced",
                     *       "revision": 42,
                     *       "created": [
                     *         "nightly-report"
                     *       ],
                     *       "updated": [],
                     *       "unchanged": [],
                     *       "deleted": []
                     *     }
                     */
                    "application/json": components["schemas"]["ScheduleSyncReport"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused.schedule_exists"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_schedule.unknown_kind"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the schedule. */
                name: components["parameters"]["schedules.name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "nightly-report",
                     *       "source": "",
                     *       "revision": 0,
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Report",
                     *         "body": "It is attached."
                     *       },
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "queue": "default",
                     *       "priority": 4,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "metadata": null,
                     *       "expires_in_ms": null,
                     *       "unique": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "cron": "0 2 * * 1-5",
                     *       "time_zone": "Europe/Berlin",
                     *       "every_ms": null,
                     *       "starts_at": null,
                     *       "ends_at": null,
                     *       "jitter_ms": 0,
                     *       "missed": "once",
                     *       "missed_window_ms": null,
                     *       "overlap": "skip",
                     *       "paused_at": null,
                     *       "paused_reason": null,
                     *       "next_run_at": "2026-01-16T01:00:00.000Z",
                     *       "last_run_at": "2026-01-15T01:00:00.000Z",
                     *       "last_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "fired_count": 12,
                     *       "missed_count": 0,
                     *       "skipped_count": 1,
                     *       "created_at": "2026-01-01T09:30:00.000Z",
                     *       "updated_at": "2026-01-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            404: components["responses"]["schedule_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the schedule. */
                name: components["parameters"]["schedules.name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["schedule_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    updateSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the schedule. */
                name: components["parameters"]["schedules.name"];
            };
            cookie?: never;
        };
        /** @description The changes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateSchedule"];
            };
        };
        responses: {
            /** @description The updated schedule. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "nightly-report",
                     *       "source": "",
                     *       "revision": 0,
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Report",
                     *         "body": "It is attached."
                     *       },
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "queue": "default",
                     *       "priority": 4,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "metadata": null,
                     *       "expires_in_ms": null,
                     *       "unique": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "cron": "0 2 * * 1-5",
                     *       "time_zone": "Europe/Berlin",
                     *       "every_ms": null,
                     *       "starts_at": null,
                     *       "ends_at": null,
                     *       "jitter_ms": 0,
                     *       "missed": "once",
                     *       "missed_window_ms": null,
                     *       "overlap": "skip",
                     *       "paused_at": null,
                     *       "paused_reason": null,
                     *       "next_run_at": "2026-01-16T01:00:00.000Z",
                     *       "last_run_at": "2026-01-15T01:00:00.000Z",
                     *       "last_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "fired_count": 12,
                     *       "missed_count": 0,
                     *       "skipped_count": 1,
                     *       "created_at": "2026-01-01T09:30:00.000Z",
                     *       "updated_at": "2026-01-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["schedule_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_schedule.unknown_kind"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    pauseSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the schedule. */
                name: components["parameters"]["schedules.name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule is paused. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "nightly-report",
                     *       "source": "",
                     *       "revision": 0,
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Report",
                     *         "body": "It is attached."
                     *       },
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "queue": "default",
                     *       "priority": 4,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "metadata": null,
                     *       "expires_in_ms": null,
                     *       "unique": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "cron": "0 2 * * 1-5",
                     *       "time_zone": "Europe/Berlin",
                     *       "every_ms": null,
                     *       "starts_at": null,
                     *       "ends_at": null,
                     *       "jitter_ms": 0,
                     *       "missed": "once",
                     *       "missed_window_ms": null,
                     *       "overlap": "skip",
                     *       "paused_at": "2026-01-15T09:30:00.000Z",
                     *       "paused_reason": null,
                     *       "next_run_at": "2026-01-16T01:00:00.000Z",
                     *       "last_run_at": "2026-01-15T01:00:00.000Z",
                     *       "last_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "fired_count": 12,
                     *       "missed_count": 0,
                     *       "skipped_count": 1,
                     *       "created_at": "2026-01-01T09:30:00.000Z",
                     *       "updated_at": "2026-01-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["schedule_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    resumeSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the schedule. */
                name: components["parameters"]["schedules.name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule is not paused. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "nightly-report",
                     *       "source": "",
                     *       "revision": 0,
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Report",
                     *         "body": "It is attached."
                     *       },
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "queue": "default",
                     *       "priority": 4,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "metadata": null,
                     *       "expires_in_ms": null,
                     *       "unique": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "cron": "0 2 * * 1-5",
                     *       "time_zone": "Europe/Berlin",
                     *       "every_ms": null,
                     *       "starts_at": null,
                     *       "ends_at": null,
                     *       "jitter_ms": 0,
                     *       "missed": "once",
                     *       "missed_window_ms": null,
                     *       "overlap": "skip",
                     *       "paused_at": null,
                     *       "paused_reason": null,
                     *       "next_run_at": "2026-01-16T01:00:00.000Z",
                     *       "last_run_at": "2026-01-15T01:00:00.000Z",
                     *       "last_job_id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "fired_count": 12,
                     *       "missed_count": 0,
                     *       "skipped_count": 1,
                     *       "created_at": "2026-01-01T09:30:00.000Z",
                     *       "updated_at": "2026-01-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["schedule_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    runScheduleNow: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat: a known key is answered with the job that it created. Use one key for each job, such as `welcome-ada`. Takes precedence over idempotency_key in the body. */
                "idempotency-key"?: components["parameters"]["idempotency-key"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the schedule. */
                name: components["parameters"]["schedules.name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No job was enqueued. If the idempotency key already existed, this is the job that it created. If another job holds the unique key, this is that job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description `true` if the idempotency key already existed. */
                    "Idempotent-Replayed"?: string;
                    /** @description Present if another job already holds the unique key: `returned`, `replaced` or `rescheduled` says what happened to that job. */
                    "Unique-Conflict"?: string;
                    /** @description `true` if the idempotency key was first used with a different kind, queue or payload. */
                    "Idempotency-Mismatch"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The job was enqueued. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Path of the job. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001",
                     *       "queue": "default",
                     *       "kind": "send_email",
                     *       "kind_version": 1,
                     *       "tenant_id": null,
                     *       "key": null,
                     *       "weight": 1,
                     *       "payload": {
                     *         "to": "ada@example.com",
                     *         "subject": "Welcome",
                     *         "body": "Good to have you here."
                     *       },
                     *       "metadata": {
                     *         "order_id": 4711
                     *       },
                     *       "status": "queued",
                     *       "priority": 4,
                     *       "attempts": 0,
                     *       "max_attempts": 3,
                     *       "timeout_ms": null,
                     *       "retry_policy": null,
                     *       "crashes": 0,
                     *       "last_error": null,
                     *       "result": null,
                     *       "progress": null,
                     *       "progress_message": null,
                     *       "run_at": "2026-01-15T09:30:00.000Z",
                     *       "expires_at": null,
                     *       "locked_at": null,
                     *       "locked_by": null,
                     *       "cancel_requested": false,
                     *       "cancel_reason": null,
                     *       "idempotency_key": "welcome-ada",
                     *       "unique_key": null,
                     *       "unique_scope": null,
                     *       "trace_context": null,
                     *       "sensitive": [],
                     *       "open_results": false,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z",
                     *       "stripped_at": null,
                     *       "finished_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["schedule_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["idempotency_key_locked.refused.schedule_overlaps.unique_conflict.unique_key_locked"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_schedule"];
            429: components["responses"]["queue_full.rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.enqueue_too_old.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    previewSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the schedule. */
                name: components["parameters"]["schedules.name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The next run times, and the timing in words. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "description": "at 02:00, Monday through Friday, Europe/Berlin",
                     *       "instants": [
                     *         "2026-01-16T01:00:00.000Z",
                     *         "2026-01-19T01:00:00.000Z"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SchedulePreview"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            404: components["responses"]["schedule_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listQueues: {
        parameters: {
            query?: {
                /** @description Maximum number of items in a page. */
                limit?: components["parameters"]["limit"];
                /** @description The next_cursor of the previous page. Send it with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of queues. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "name": "default",
                     *           "paused_at": null,
                     *           "depth": {
                     *             "queued": 120,
                     *             "retrying": 3,
                     *             "running": 8
                     *           },
                     *           "ready": 120,
                     *           "newly_ready": 120,
                     *           "oldest_ready_seconds": 0.42,
                     *           "workers": 2
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["QueueList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_cursor.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listQueueKeys: {
        parameters: {
            query?: {
                /** @description Maximum number of keys to return. */
                limit?: number;
            };
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the queue. */
                name: components["parameters"]["queues.name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys, those with the most waiting jobs first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "key": "customer-42",
                     *           "tenant_id": null,
                     *           "waiting": 1000,
                     *           "waiting_is_least": true,
                     *           "waiting_estimate": 812000,
                     *           "running": 5,
                     *           "oldest_ready_seconds": 93.5,
                     *           "state": "full",
                     *           "paused_at": null,
                     *           "max_running": 5,
                     *           "rate_opens_at": null,
                     *           "is_ordered": false,
                     *           "has_limit": false
                     *         }
                     *       ],
                     *       "is_complete": false
                     *     }
                     */
                    "application/json": components["schemas"]["QueueKeyList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    pauseQueue: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the queue. */
                name: components["parameters"]["queues.name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queue is paused. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "default",
                     *       "paused_at": "2026-01-15T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["QueueState"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["queue_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    resumeQueue: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the queue. */
                name: components["parameters"]["queues.name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queue is not paused. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "default",
                     *       "paused_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["QueueState"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["queue_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    purgeQueue: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the queue. */
                name: components["parameters"]["queues.name"];
            };
            cookie?: never;
        };
        /** @description How to run the purge. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PurgeQueue"];
            };
        };
        responses: {
            /** @description The result of the action or of its dry run. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "is_least": false,
                     *       "by_workers": false,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [
                     *         "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *       ],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": null
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            /** @description The action became an operation that workers run. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Path of the operation. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 0,
                     *       "is_least": false,
                     *       "by_workers": true,
                     *       "scanned": null,
                     *       "skipped": 0,
                     *       "job_ids": [],
                     *       "previous": [],
                     *       "cancelled": [],
                     *       "requeued": [],
                     *       "dry_run": false,
                     *       "operation": {
                     *         "id": "01980d3c-7a1e-7c3a-9f52-3b1f6c0de002",
                     *         "act": "cancel",
                     *         "filter": {
                     *           "queue": "mail"
                     *         },
                     *         "run_at": null,
                     *         "rate": null,
                     *         "state": "running",
                     *         "expected": 100000,
                     *         "expected_is_least": true,
                     *         "changed": 12500,
                     *         "skipped": 0,
                     *         "reason": null,
                     *         "actor": "keyaudit",
                     *         "actor_name": "shop",
                     *         "created_at": "2026-01-15T09:30:00.000Z",
                     *         "finished_at": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActResult"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["queue_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_body"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_operations.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getStats: {
        parameters: {
            query?: {
                /** @description Jobs of this queue. */
                queue?: components["parameters"]["queue"];
                /** @description Jobs of this kind. */
                kind?: components["parameters"]["jobs.kind"];
                /** @description Jobs of this tenant. */
                tenant?: components["parameters"]["tenant"];
                /** @description Start of the time range, rounded down to its step. Defaults to one hour ago for minutes, one day ago for hours, and 30 days ago for days. */
                from?: string;
                /** @description End of the time range: the start of the step that contains it, so that adjoining ranges add up. Defaults to now, which can be within a step. */
                to?: string;
                /** @description Length of each point: `minute` (default), `hour` or `day`, in UTC. */
                step?: "minute" | "hour" | "day";
                /** @description How the numbers are grouped. `time` (default): a point for each step. `queue`: each queue over the whole time range. `series`: each queue and kind over the whole time range. The last two read many times as many rows. */
                by?: "time" | "series" | "queue";
            };
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statistics. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": "2026-01-15T09:30:00.000Z",
                     *       "to": "2026-01-15T09:30:40.000Z",
                     *       "step": "minute",
                     *       "points": [
                     *         {
                     *           "at": "2026-01-15T09:30:00.000Z",
                     *           "enqueued": 1,
                     *           "started": 1,
                     *           "succeeded": 1,
                     *           "failed": 0,
                     *           "retried": 0,
                     *           "cancelled": 0,
                     *           "wait_ms": {
                     *             "p50": 12.41,
                     *             "p95": 12.41,
                     *             "p99": 12.41
                     *           },
                     *           "run_ms": {
                     *             "p50": 340.2,
                     *             "p95": 340.2,
                     *             "p99": 340.2
                     *           }
                     *         }
                     *       ],
                     *       "total": {
                     *         "enqueued": 1,
                     *         "started": 1,
                     *         "succeeded": 1,
                     *         "failed": 0,
                     *         "retried": 0,
                     *         "cancelled": 0,
                     *         "wait_ms": {
                     *           "p50": 12.41,
                     *           "p95": 12.41,
                     *           "p99": 12.41
                     *         },
                     *         "run_ms": {
                     *           "p50": 340.2,
                     *           "p95": 340.2,
                     *           "p99": 340.2
                     *         }
                     *       },
                     *       "series": []
                     *     }
                     */
                    "application/json": components["schemas"]["Stats"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getAttention: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The active conditions. An empty list means that nothing was found. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "condition": "queue_unserved",
                     *           "severity": "critical",
                     *           "queue": "mail",
                     *           "kind": null,
                     *           "count": 41,
                     *           "count_is_capped": false,
                     *           "since": "2026-01-15T09:30:00.431Z",
                     *           "ends": "start a worker that serves this queue",
                     *           "runbook": "queue-unserved"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AttentionList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getDiagnosis: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The findings. The status is 200 even if checks failed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "schema": "queue",
                     *       "status": "failure",
                     *       "checked_at": "2026-01-15T09:30:00.431Z",
                     *       "findings": [
                     *         {
                     *           "check": "orphaned_jobs",
                     *           "status": "failure",
                     *           "message": "3 jobs running without an active worker, the oldest claimed 2 h ago, and recovery has not run",
                     *           "cure": "start a worker: it recovers them at once"
                     *         },
                     *         {
                     *           "check": "schema_version",
                     *           "status": "ok",
                     *           "message": "version 1, this release 1",
                     *           "cure": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Diagnosis"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listLimits: {
        parameters: {
            query?: {
                /** @description Limits of this queue. */
                queue?: string;
                /** @description Limits with this scope. */
                scope?: "queue" | "kind" | "key" | "each_key" | "tenant";
                /** @description Limits of the kind, key or tenant with this name. */
                name?: string;
                /** @description Maximum number of items in a page. */
                limit?: components["parameters"]["limit"];
                /** @description The next_cursor of the previous page. Send it with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of limits. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "queue": "default",
                     *           "scope": "each_key",
                     *           "name": null,
                     *           "max_running": 5,
                     *           "max_waiting": null,
                     *           "rate": null,
                     *           "ordered": null,
                     *           "fair_by": null,
                     *           "weight": null,
                     *           "paused_at": null,
                     *           "created_at": "2026-01-15T09:30:00.000Z",
                     *           "updated_at": "2026-01-15T09:30:00.000Z",
                     *           "running": null
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["LimitList"];
                };
            };
            400: components["responses"]["bad_request.invalid_cursor.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    setLimit: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the limit as you read it: its `updated_at` in double quotes. If the limit has changed since, nothing is written (412), unless it already is as the request would make it. */
                "if-match"?: components["parameters"]["if-match"];
                /** @description Only if there is no limit for the target: otherwise nothing is written (412). */
                "if-none-match"?: components["parameters"]["limits.if-none-match"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The limit to set. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetLimit"];
            };
        };
        responses: {
            /** @description The limit. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the limit: its `updated_at` in double quotes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "queue": "default",
                     *       "scope": "each_key",
                     *       "name": null,
                     *       "max_running": 5,
                     *       "max_waiting": null,
                     *       "rate": null,
                     *       "ordered": null,
                     *       "fair_by": null,
                     *       "weight": null,
                     *       "paused_at": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Limit"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            412: components["responses"]["limit_changed"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_limit"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    deleteLimit: {
        parameters: {
            query: {
                /** @description Queue of the limit. */
                queue: string;
                /** @description What the limit applies to. `queue`: the whole queue. `kind`: one kind in it. `key`: one key in it. `each_key`: each key without a limit of its own. `tenant`: one tenant in it. */
                scope: "queue" | "kind" | "key" | "each_key" | "tenant";
                /** @description Name of the kind, key or tenant. Absent for the scopes `queue` and `each_key`. */
                name?: string;
            };
            header?: {
                /** @description The ETag of the limit as you read it: its `updated_at` in double quotes. If the limit has changed since, nothing is written (412), unless it already is as the request would make it. */
                "if-match"?: components["parameters"]["if-match"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limit was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["limit_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            412: components["responses"]["limit_changed"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_limit"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    changeLimit: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the limit as you read it: its `updated_at` in double quotes. If the limit has changed since, nothing is written (412), unless it already is as the request would make it. */
                "if-match"?: components["parameters"]["if-match"];
                /** @description Only if there is no limit for the target: otherwise nothing is written (412). */
                "if-none-match"?: components["parameters"]["limits.if-none-match"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The target of the limit, and the changes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeLimit"];
            };
        };
        responses: {
            /** @description The changed limit. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the limit: its `updated_at` in double quotes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "queue": "default",
                     *       "scope": "each_key",
                     *       "name": null,
                     *       "max_running": 5,
                     *       "max_waiting": null,
                     *       "rate": null,
                     *       "ordered": null,
                     *       "fair_by": null,
                     *       "weight": null,
                     *       "paused_at": null,
                     *       "created_at": "2026-01-15T09:30:00.000Z",
                     *       "updated_at": "2026-01-15T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Limit"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            412: components["responses"]["limit_changed"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_limit"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listWorkers: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workers. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "worker-host-4711-9f3a",
                     *           "hostname": "host",
                     *           "pid": 4711,
                     *           "version": "0.1.0",
                     *           "zone_version": "2026a",
                     *           "queues": [
                     *             "default"
                     *           ],
                     *           "kinds": [
                     *             "send_email"
                     *           ],
                     *           "concurrency": 4,
                     *           "running": 1,
                     *           "state": "active",
                     *           "started_at": "2026-01-15T09:00:00.000Z",
                     *           "heartbeat_at": "2026-01-15T09:30:00.000Z",
                     *           "lease_expires_at": "2026-01-15T09:30:30.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WorkerList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listKinds: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job kinds. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "kind": "send_invoice",
                     *           "description": "Sends an invoice by mail.",
                     *           "versions": [
                     *             2,
                     *             1
                     *           ],
                     *           "source": "registered",
                     *           "retired_at": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["KindList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    registerKinds: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The kind versions to register. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterKinds"];
            };
        };
        responses: {
            /** @description The outcome of each registration, in the order of the request. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "kind": "send_invoice",
                     *           "version": 1,
                     *           "outcome": "new",
                     *           "changed_paths": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RegisteredKinds"];
                };
            };
            400: components["responses"]["bad_request.invalid_header.unparsable_body"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["kind_conflict.refused"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            421: components["responses"]["foreign_host"];
            422: components["responses"]["invalid_kind"];
            429: components["responses"]["rate_limited.too_many_bytes.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getKind: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the kind. */
                kind: components["parameters"]["kinds.kind"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job kind. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "send_invoice",
                     *       "versions": [
                     *         {
                     *           "version": 1,
                     *           "source": "registered",
                     *           "payload_schema": {
                     *             "type": "object",
                     *             "properties": {
                     *               "invoice_id": {
                     *                 "type": "string"
                     *               },
                     *               "email": {
                     *                 "type": "string"
                     *               }
                     *             },
                     *             "required": [
                     *               "invoice_id",
                     *               "email"
                     *             ],
                     *             "additionalProperties": false
                     *           },
                     *           "defaults": {
                     *             "queue": "default",
                     *             "priority": 4,
                     *             "max_attempts": 3
                     *           },
                     *           "description": "Sends an invoice by mail.",
                     *           "sensitive": [
                     *             "/email"
                     *           ],
                     *           "live_workers": 2,
                     *           "registered_by": "worker-host",
                     *           "registered_at": "2026-01-15T09:00:00.000Z",
                     *           "last_seen_at": "2026-01-15T09:00:00.000Z",
                     *           "retired_at": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Kind"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            404: components["responses"]["kind_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    retireKind: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the kind. */
                kind: components["parameters"]["kinds.kind"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kind was retired. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["kind_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with several tenants. */
                "queue-tenant"?: components["parameters"]["queue-tenant"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "anyone",
                     *       "key_id": null,
                     *       "name": null,
                     *       "permissions": [
                     *         "jobs:enqueue",
                     *         "jobs:read",
                     *         "jobs:control",
                     *         "jobs:edit",
                     *         "jobs:delete",
                     *         "payload:read",
                     *         "dead_letters:read",
                     *         "dead_letters:requeue",
                     *         "dead_letters:delete",
                     *         "queues:control",
                     *         "limits:write",
                     *         "schedules:read",
                     *         "schedules:control",
                     *         "schedules:write",
                     *         "ops:read",
                     *         "kinds:read",
                     *         "kinds:write",
                     *         "keys:read",
                     *         "keys:revoke",
                     *         "audit:read"
                     *       ],
                     *       "tenant_id": null,
                     *       "queues": null,
                     *       "kinds": null,
                     *       "rate": null
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded"];
            504: components["responses"]["timeout"];
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "k3x9d0aq",
                     *           "name": "shop",
                     *           "role": "enqueue",
                     *           "permissions": [],
                     *           "rate": {
                     *             "count": 600,
                     *             "per_seconds": 60,
                     *             "burst": 100
                     *           },
                     *           "tenant_id": null,
                     *           "queues": null,
                     *           "kinds": null,
                     *           "replaces": null,
                     *           "created_at": "2026-01-15T09:30:00.000Z",
                     *           "expires_at": null,
                     *           "last_used_at": "2026-01-15T10:00:00.000Z",
                     *           "revoked_at": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Id of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key was revoked. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.foreign_origin.out_of_scope"];
            404: components["responses"]["key_not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["refused"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Entries of this actor: the id of an API key, a subject, the name of a database role, `token` or `anyone`. */
                actor?: string;
                /** @description Entries of this action. */
                act?: "job.cancel" | "job.requeue" | "job.undo_requeue" | "job.reschedule" | "job.run_now" | "job.duplicate" | "job.edit" | "job.delete" | "job.erase" | "operation.cancel" | "dead_letter.requeue" | "dead_letter.delete" | "queue.pause" | "queue.resume" | "queue.purge" | "limit.set" | "limit.delete" | "schedule.create" | "schedule.update" | "schedule.delete" | "schedule.pause" | "schedule.resume" | "schedule.run_now" | "schedule.sync" | "kind.register" | "kind.retire" | "key.create" | "key.rotate" | "key.revoke";
                /** @description Entries about this job. */
                job_id?: string;
                /** @description Entries of actors whose scope was this tenant. */
                tenant?: string;
                /** @description Entries at or after this time. */
                from?: string;
                /** @description Entries before this time. */
                to?: string;
                /** @description Maximum number of items in a page. */
                limit?: components["parameters"]["limit"];
                /** @description The next_cursor of the previous page. Send it with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of an earlier response. */
                "if-none-match"?: components["parameters"]["jobs.if-none-match"];
                /** @description `max-age=N` allows a response that is up to N seconds old, at most 10. Clients that poll then share one database read. By default, the response is current. */
                "cache-control"?: components["parameters"]["cache-control"];
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of audit log entries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. It changes whenever the response changes. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5f0c2a51-3f0e-4c4d-9a57-0e1a3f6c9b11",
                     *           "at": "2026-01-15T09:31:00.000Z",
                     *           "act": "job.cancel",
                     *           "actor_type": "key",
                     *           "actor": "k3x9d0aq",
                     *           "actor_name": "shop",
                     *           "database_role": "queue_api",
                     *           "tenant_id": null,
                     *           "address": "10.0.4.7",
                     *           "request_id": "0b1f1c62-7c0e-4f57-8f0e-6d1f6a0f3a55",
                     *           "count": 1,
                     *           "target": null,
                     *           "filter": null,
                     *           "job_ids": [
                     *             "01980d3c-7a1e-7c3a-9f52-3b1f6c0de001"
                     *           ]
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            /** @description The response has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the response. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request.invalid_cursor.invalid_header.invalid_query"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded.schema_mismatch"];
            504: components["responses"]["timeout"];
        };
    };
    livez: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is alive. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "alive"
                     *     }
                     */
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            400: components["responses"]["bad_request"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            504: components["responses"]["timeout"];
        };
    };
    readyz: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server is ready. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "checks": {
                     *         "process": "running",
                     *         "database": "up",
                     *         "schema": "compatible",
                     *         "writes": "accepted"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            400: components["responses"]["bad_request"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["not_ready"];
            504: components["responses"]["timeout"];
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server is ready. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "checks": {
                     *         "process": "running",
                     *         "database": "up",
                     *         "schema": "compatible",
                     *         "writes": "accepted"
                     *       },
                     *       "uptime_seconds": 86400
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["bad_request"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["not_ready"];
            504: components["responses"]["timeout"];
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["bad_request.invalid_header"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden.out_of_scope"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            429: components["responses"]["rate_limited.too_many_requests"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            503: components["responses"]["database_unavailable.issuer_unavailable.overloaded"];
            504: components["responses"]["timeout"];
        };
    };
    docs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The documentation page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["bad_request"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            504: components["responses"]["timeout"];
        };
    };
    docsAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path: {
                /** @description Name of the file. */
                asset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the file, for If-None-Match. */
                    ETag?: string;
                    /** @description Time when the file last changed. */
                    "Last-Modified"?: string;
                    /** @description Always `none`: range requests are not supported. */
                    "Accept-Ranges"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The file has not changed since the version in If-None-Match. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Entity tag of the file, for If-None-Match. */
                    ETag?: string;
                    /** @description Time when the file last changed. */
                    "Last-Modified"?: string;
                    /** @description Always `none`: range requests are not supported. */
                    "Accept-Ranges"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            404: components["responses"]["not_found"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            504: components["responses"]["timeout"];
        };
    };
    openApiDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request. It is logged and returned. Defaults to a new id. */
                "x-request-id"?: components["parameters"]["x-request-id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The OpenAPI document. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["bad_request"];
            406: components["responses"]["not_acceptable"];
            408: components["responses"]["request_timeout"];
            421: components["responses"]["foreign_host"];
            431: components["responses"]["headers_too_large"];
            500: components["responses"]["internal"];
            504: components["responses"]["timeout"];
        };
    };
}
