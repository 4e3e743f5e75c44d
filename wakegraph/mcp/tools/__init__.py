"""The tools, by layer. Each module declares its own; `ALL` is the order in which they are listed."""

from __future__ import annotations

from wakegraph.mcp.toolkit import ToolSpec
from wakegraph.mcp.tools import causality, memory, propagation, query, reading, resuming, searching, writing

__all__ = ["ALL"]

ALL: tuple[ToolSpec, ...] = (
    resuming.resume_work,
    writing.save_context,
    writing.link_contexts,
    reading.load_context,
    searching.search_context,
    reading.get_context,
    causality.reconstruct_reasoning,
    propagation.predict_next,
    reading.list_projects,
    writing.update_context,
    writing.delete_context,
    causality.build_causal_chain,
    causality.explore_causality,
    causality.get_causality_stats,
    causality.validate_causality,
    memory.get_memory_stats,
    memory.recalculate_memory_tiers,
    memory.prune_expired_contexts,
    propagation.update_predictions,
    propagation.get_high_value_contexts,
    propagation.get_propagation_stats,
    query.query_graph,
)
