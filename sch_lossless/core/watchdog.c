// SPDX-License-Identifier: GPL-2.0
/*
 * The watchdog of a queue that pauses hold.
 *
 * A queue is blocked while it holds frames and is paused. It is in storm when it has been
 * blocked for the detection time without a frame leaving, or for a given part of a sliding
 * window. Openings so short that no frame made it through do not begin the time anew, as
 * long as they add up to no more than a hundredth of the detection time: switches call it a
 * storm as well if a queue that sent nothing was paused for more than 99 % of the time.
 *
 * The window is kept in slices. What the oldest slice holds is counted as if it had come
 * as early as it can have, so that a storm is never found too early, and one or two slices
 * late at most.
 */
#include "watchdog.h"

#define OPENINGS_PERCENT	1

/**
 * blocked_begin() - it holds frames, and is paused, from now on
 * @clock: not running
 * @detect_ns: openings are forgiven that are short against this
 * @now: in ns, of a clock that never goes back
 */
void blocked_begin(struct blocked_clock *clock, u64 detect_ns, u64 now)
{
	if (clock->held_ns && now > clock->since_ns)
		clock->open_ns += now - clock->since_ns;
	if (!clock->held_ns || clock->open_ns * 100 > detect_ns * OPENINGS_PERCENT) {
		clock->held_ns = 0;
		clock->open_ns = 0;
	}
	clock->is_running = true;
	clock->since_ns = now;
}

/**
 * blocked_end() - it is no longer paused, or holds no frames
 * @clock: running
 * @at: when that happened; before it began counts as when it began
 *
 * Return: for how long it was blocked.
 */
u64 blocked_end(struct blocked_clock *clock, u64 at)
{
	u64 ns = at > clock->since_ns ? at - clock->since_ns : 0;

	clock->is_running = false;
	clock->since_ns += ns;
	clock->held_ns += ns;
	clock->total_ns += ns;
	return ns;
}

/**
 * blocked_restart() - count from now on
 * @clock: running or not; @total_ns loses nothing
 * @now: ns
 */
void blocked_restart(struct blocked_clock *clock, u64 now)
{
	if (clock->is_running) {
		blocked_end(clock, now);
		clock->is_running = true;
	}
	clock->held_ns = 0;
	clock->open_ns = 0;
}

/**
 * blocked_held_ns() - for how long it has been blocked since a frame left
 * @clock: running or not
 * @now: ns
 */
u64 blocked_held_ns(const struct blocked_clock *clock, u64 now)
{
	if (!clock->is_running || now <= clock->since_ns)
		return clock->held_ns;
	return clock->held_ns + (now - clock->since_ns);
}

/**
 * blocked_deadline() - when it will have been blocked for so long, if nothing happens
 * @clock: running or not
 * @limit_ns: how long
 *
 * Return: ns, perhaps past; U64_MAX: never.
 */
u64 blocked_deadline(const struct blocked_clock *clock, u64 limit_ns)
{
	if (!clock->is_running)
		return U64_MAX;
	return clock->since_ns + limit_ns - min(limit_ns, clock->held_ns);
}

static u64 slice_ns(const struct watchdog_law *law)
{
	return div64_u64(law->window_ns, WATCHDOG_SLICES);
}

static u32 *slice_at(struct watchdog_window *window, u64 number)
{
	u64 cycle = div64_u64(number, ARRAY_SIZE(window->blocked_ns));

	return &window->blocked_ns[number - cycle * ARRAY_SIZE(window->blocked_ns)];
}

static void window_advance(struct watchdog_window *window, u64 number)
{
	if (number > window->newest + WATCHDOG_SLICES) {
		memset(window->blocked_ns, 0, sizeof(window->blocked_ns));
		window->newest = number;
	}
	while (window->newest < number)
		*slice_at(window, ++window->newest) = 0;
}

static void window_add(struct watchdog_window *window, u64 slice, u64 from, u64 to)
{
	u64 number = div64_u64(to, slice), end;

	if (number > WATCHDOG_SLICES)
		from = max(from, (number - WATCHDOG_SLICES) * slice);
	while (from < to) {
		number = div64_u64(from, slice);
		end = min(to, (number + 1) * slice);
		window_advance(window, number);
		*slice_at(window, number) += end - from;
		from = end;
	}
}

/* Counts what has passed of the present time of being blocked. */
static void window_follow(struct watchdog *dog, u64 slice, u64 to)
{
	struct watchdog_window *window = &dog->window;

	window_add(window, slice, max(window->counted_ns, dog->clock.since_ns), to);
	window->counted_ns = max(window->counted_ns, to);
}

/* At least so long was the queue blocked in the window that ends now. */
static u64 window_blocked_ns(struct watchdog_window *window, u64 slice, u64 now)
{
	u64 number = div64_u64(now, slice);
	u64 sum = 0;
	unsigned int i;

	window_advance(window, number);
	for (i = 0; i < ARRAY_SIZE(window->blocked_ns); i++)
		sum += window->blocked_ns[i];
	/* the slice that the window is leaving has lost as much as has begun of the newest */
	return sum - min((u64)*slice_at(window, number + 1), now - number * slice);
}

/* Not above what the slices can hold, which is up to 63 ns less than the window. */
static u64 window_limit_ns(const struct watchdog_law *law)
{
	return min(div64_u64(law->window_ns * law->duty_percent + 99, 100),
		   WATCHDOG_SLICES * slice_ns(law));
}

static bool window_is_full(struct watchdog *dog, const struct watchdog_law *law, u64 now)
{
	if (!law->window_ns)
		return false;
	if (!dog->clock.is_running)
		return dog->window.was_full;
	window_follow(dog, slice_ns(law), now);
	return window_blocked_ns(&dog->window, slice_ns(law), now) >= window_limit_ns(law);
}

static void start_over(struct watchdog *dog, u64 now)
{
	blocked_restart(&dog->clock, now);
	memset(&dog->window, 0, sizeof(dog->window));
	dog->window.counted_ns = now;
}

/**
 * watchdog_block() - the queue holds frames, and is paused, from now on
 * @dog: of a queue that was not blocked
 * @law: in force
 * @now: ns
 */
void watchdog_block(struct watchdog *dog, const struct watchdog_law *law, u64 now)
{
	blocked_begin(&dog->clock, law->detect_ns, now);
}

/**
 * watchdog_unblock() - the queue is no longer paused, or holds no frames
 * @dog: of a queue that was blocked; judge it afterwards
 * @law: in force
 * @at: when that happened, in ns
 */
void watchdog_unblock(struct watchdog *dog, const struct watchdog_law *law, u64 at)
{
	at = max(at, dog->clock.since_ns);
	dog->window.was_full = window_is_full(dog, law, at);
	blocked_end(&dog->clock, at);
}

static bool is_storm_too_many(const struct watchdog *dog, const struct watchdog_law *law, u64 now)
{
	u32 first = dog->storms - law->untrust_storms;

	return law->untrust_storms && dog->storms >= law->untrust_storms &&
	       now - dog->storms_ns[first % WATCHDOG_HISTORY] <= law->untrust_ns;
}

static enum watchdog_step storm_begins(struct watchdog *dog, const struct watchdog_law *law,
				       u64 now)
{
	dog->storm_ns = now;
	dog->storms_ns[dog->storms++ % WATCHDOG_HISTORY] = now;
	start_over(dog, now);
	if (is_storm_too_many(dog, law, now)) {
		dog->state = WATCHDOG_UNTRUSTED;
		return WATCHDOG_DISTRUSTS;
	}
	dog->state = WATCHDOG_STORM;
	return WATCHDOG_STORMS;
}

/* When the storm is over if nothing happens. */
static u64 restore_at(const struct watchdog *dog, const struct watchdog_law *law)
{
	switch (law->restore) {
	case WATCHDOG_AUTO:
		return max(dog->paused_ns, dog->storm_ns) + law->restore_ns;
	case WATCHDOG_FIXED:
		return dog->storm_ns + law->restore_ns;
	default:
		return U64_MAX;
	}
}

/* The pauses of a storm that is only told may last for longer than it takes to restore. */
static bool is_held_in_storm(const struct watchdog *dog, const struct watchdog_law *law)
{
	return law->restore == WATCHDOG_AUTO && dog->clock.is_running;
}

/**
 * watchdog_judge() - has something begun, or ended?
 * @dog: of a queue, after every change and at every deadline
 * @law: in force
 * @now: ns
 *
 * Return: what has; the state is already the new one.
 */
enum watchdog_step watchdog_judge(struct watchdog *dog, const struct watchdog_law *law, u64 now)
{
	switch (dog->state) {
	case WATCHDOG_OK:
		if (law->is_on && (blocked_held_ns(&dog->clock, now) >= law->detect_ns ||
				   window_is_full(dog, law, now)))
			return storm_begins(dog, law, now);
		break;
	case WATCHDOG_STORM:
		if (restore_at(dog, law) > now || is_held_in_storm(dog, law))
			break;
		dog->state = WATCHDOG_OK;
		start_over(dog, now);
		return law->restore == WATCHDOG_AUTO ? WATCHDOG_RESTORES_QUIET :
						       WATCHDOG_RESTORES_FIXED;
	case WATCHDOG_UNTRUSTED:
		break;
	}
	return WATCHDOG_STAYS;
}

/* The earliest moment at which the window can be full. It is looked at again at least once
 * in half a slice, and not more often.
 */
static u64 window_deadline(struct watchdog *dog, const struct watchdog_law *law, u64 now)
{
	u64 slice = slice_ns(law);
	u64 missing;

	window_follow(dog, slice, now);
	missing = window_limit_ns(law);
	missing -= min(missing, window_blocked_ns(&dog->window, slice, now));
	return now + max(missing, slice / 2);
}

/**
 * watchdog_deadline() - when to judge again if nothing happens
 * @dog: of a queue, just judged
 * @law: in force
 * @now: ns
 *
 * Return: ns, U64_MAX: never.
 */
u64 watchdog_deadline(struct watchdog *dog, const struct watchdog_law *law, u64 now)
{
	u64 at = U64_MAX;

	if (dog->state == WATCHDOG_STORM) {
		/* else it waits for the queue to be unblocked */
		at = restore_at(dog, law);
		return at > now || !is_held_in_storm(dog, law) ? at : U64_MAX;
	}
	if (dog->state != WATCHDOG_OK || !law->is_on)
		return at;
	at = blocked_deadline(&dog->clock, law->detect_ns);
	if (law->window_ns && dog->clock.is_running)
		at = min(at, window_deadline(dog, law, now));
	return at;
}

/**
 * watchdog_recover() - whatever it was in is over
 * @dog: of a queue
 * @now: ns
 *
 * Former storms no longer count against the queue's peer.
 *
 * Return: true if it was in storm or not trusted.
 */
bool watchdog_recover(struct watchdog *dog, u64 now)
{
	dog->storms = 0;
	if (dog->state == WATCHDOG_OK)
		return false;
	dog->state = WATCHDOG_OK;
	start_over(dog, now);
	return true;
}

/**
 * watchdog_forget() - judge from now on by what happens from now on
 * @dog: of a queue; its state stays
 * @now: ns
 */
void watchdog_forget(struct watchdog *dog, u64 now)
{
	start_over(dog, now);
}

/**
 * watchdog_reset() - the queue was emptied, and its pauses forgotten
 * @dog: of a queue; a peer that is not trusted stays so
 * @now: ns
 *
 * Return: true if it was in storm.
 */
bool watchdog_reset(struct watchdog *dog, u64 now)
{
	start_over(dog, now);
	if (dog->state != WATCHDOG_STORM)
		return false;
	dog->state = WATCHDOG_OK;
	return true;
}
