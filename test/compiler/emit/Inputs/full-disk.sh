# full-disk.sh DIR MODULE emits on disks of growing size, in its own mount namespace.
# Each attempt ends with status 74 and an empty disk, or with a product.
set -e
mkdir -p "$1/disk"
mount -t tmpfs -o size=4k tmpfs "$1/disk"
full=0
for kilobytes in $(seq 4 4 128); do
  mount -o "remount,size=${kilobytes}k" "$1/disk"
  status=0
  weir-emit "$2" -o "$1/disk/a.so" --header="$1/disk/a.h" 2> "$1/log" || status=$?
  left=$(ls "$1/disk" | tr '\n' ' ')
  case "$status:$left" in
    "0:a.h a.so ") echo "written after $full full disks"; exit 0 ;;
    74:) full=$((full + 1)) ;;
    *) echo "$kilobytes KB: status $status, left: $left"; cat "$1/log"; exit 1 ;;
  esac
  grep -q "cannot write '$1/disk/a.*No space left on device" "$1/log"
done
