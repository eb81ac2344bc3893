"""A Ray cluster of two nodes on this machine, started as a program: says its address, ends with
its standard input."""

import sys

if __name__ == "__main__":
    from ray.cluster_utils import Cluster  # an extra; pytest imports this file as it does any other

    node = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    sys.stdout.write(f"{cluster.address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    cluster.shutdown()
