/* SPDX-License-Identifier: GPL-2.0 */
/* Trace events of the group `lossless`. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM lossless

#if !defined(LOSSLESS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define LOSSLESS_TRACE_H

#include <linux/tracepoint.h>

#include "sched.h"

TRACE_DEFINE_ENUM(LOSSLESS_EVENT_STORM);
TRACE_DEFINE_ENUM(LOSSLESS_EVENT_UNTRUST);
TRACE_DEFINE_ENUM(LOSSLESS_EVENT_RESTORE);
TRACE_DEFINE_ENUM(LOSSLESS_EVENT_TIMEOUT);
TRACE_DEFINE_ENUM(LOSSLESS_EVENT_TIMEOUT_END);

TRACE_EVENT(lossless_watchdog,
	TP_PROTO(const struct net_device *dev, const struct lossless_event *event),
	TP_ARGS(dev, event),
	TP_STRUCT__entry(
		__array(char, name, IFNAMSIZ)
		__field(int, ifindex)
		__field(u8, event)
		__field(u8, cause)
		__field(u8, action)
		__field(u8, priority)
		__field(u32, backlog)
		__field(u64, duration_ns)
		__field(u64, drained)
		__field(u64, dropped)
		__field(u64, ingress_dropped)
	),
	TP_fast_assign(
		memcpy(__entry->name, dev->name, IFNAMSIZ);
		__entry->ifindex = dev->ifindex;
		__entry->event = event->event;
		__entry->cause = event->cause;
		__entry->action = event->action;
		__entry->priority = event->priority;
		__entry->backlog = event->backlog;
		__entry->duration_ns = event->duration_ns;
		__entry->drained = event->frames.drained;
		__entry->dropped = event->frames.dropped;
		__entry->ingress_dropped = event->frames.ingress_dropped;
	),
	TP_printk("dev=%s ifindex=%d prio=%u event=%s cause=%u action=%u duration_ns=%llu backlog=%u drained=%llu dropped=%llu ingress_dropped=%llu",
		  __entry->name, __entry->ifindex, __entry->priority,
		  __print_symbolic(__entry->event,
				   { LOSSLESS_EVENT_STORM, "storm" },
				   { LOSSLESS_EVENT_UNTRUST, "untrust" },
				   { LOSSLESS_EVENT_RESTORE, "restore" },
				   { LOSSLESS_EVENT_TIMEOUT, "timeout" },
				   { LOSSLESS_EVENT_TIMEOUT_END, "timeout-end" }),
		  __entry->cause, __entry->action, __entry->duration_ns, __entry->backlog,
		  __entry->drained, __entry->dropped, __entry->ingress_dropped)
);

#endif /* LOSSLESS_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
